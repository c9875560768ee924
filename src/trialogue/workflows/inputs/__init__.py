"""What a command reads: corpora, files, exports of studies, labels, catalogues."""
