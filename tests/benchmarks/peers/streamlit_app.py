"""The chat of Streamlit's own tutorial."""

from __future__ import annotations

import streamlit as st
from backend_text import pieces

if question := st.chat_input("Message"):
    with st.chat_message("user"):
        st.markdown(question)
    with st.chat_message("assistant"):
        st.write_stream(pieces(question))
