"""INFACT (KaRS 2022): ratings of responses, as published tables and as the Firebase export of the study."""
