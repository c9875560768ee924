"""Refuse file uploads before anything is written to disk."""

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler, StopUpload


class NoUploads(FileUploadHandler):
    """Refuses a form that is too long to be one of ours, and ends a form at its first file."""

    def handle_raw_input(self, _data: object, _headers: object, content_length: int, *others: object) -> None:
        """Look at the length that was announced; Django's own limit does not count files.

        Raises:
            RequestDataTooBig: which is answered by 400.
        """
        if content_length > (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0):
            raise RequestDataTooBig("A form is too long.")

    def new_file(self, *given: object, **named: object) -> None:
        """End it."""
        raise StopUpload(connection_reset=True)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Keep nothing."""

    def file_complete(self, file_size: int) -> None:
        """There is none."""
