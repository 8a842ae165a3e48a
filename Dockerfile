# One server of the page. The page is built here, once; it talks to whatever address it is opened under.
FROM python:3.11-slim-bookworm AS built
WORKDIR /app
COPY requirements.txt .
RUN python -m venv .venv && .venv/bin/pip install --no-cache-dir -r requirements.txt
COPY rxconfig.py ./
COPY reflex.lock ./reflex.lock
COPY assets ./assets
COPY chat_ui ./chat_ui
RUN .venv/bin/reflex export --frontend-only --no-zip && rm -rf .web/node_modules

FROM python:3.11-slim-bookworm
RUN useradd --create-home --uid 10001 chat && mkdir /data && chown chat /data
COPY --from=built --chown=chat /app /app
WORKDIR /app
USER 10001
ENV CHAT_UI_DATA_DIR=/data \
    CHAT_UI_LOG_JSON=true \
    CHAT_UI_LOG_LEVEL=info \
    REFLEX_ENV_MODE=prod \
    REFLEX_BACKEND_HOST=0.0.0.0 \
    REFLEX_BACKEND_PORT=3000 \
    __REFLEX_SKIP_COMPILE=true \
    __REFLEX_MOUNT_FRONTEND_COMPILED_APP=true
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["/app/.venv/bin/python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:3000/ready', timeout=4)"]
# A connection that its reader never closes must not keep the server from ending.
CMD [".venv/bin/granian", "--interface", "asgi", "--factory", "--host", "0.0.0.0", "--port", "3000", "--http", "1", "--http1-header-read-timeout", "10000", "--backlog", "8192", "--backpressure", "8192", "--workers-kill-timeout", "30", "chat_ui.chat_ui:app"]
