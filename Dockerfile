# One server of the page: the wheel is built in the first stage and installed in the second. Everything else is read when
# it starts.
FROM python:3.11-slim-bookworm AS built
WORKDIR /build
COPY . .
RUN pip install --no-cache-dir --require-hashes -r deployment/build.lock \
    && python -m hatchling build --target wheel --directory /wheels

FROM python:3.11-slim-bookworm
RUN useradd --create-home --uid 10001 chat && mkdir /data && chown chat /data
COPY deployment/serve.lock /
COPY --from=built /wheels /wheels
RUN pip install --no-cache-dir --require-hashes -r /serve.lock && pip install --no-cache-dir --no-deps /wheels/*.whl
USER 10001
ENV CHAT_UI_DATA_DIR=/data \
    CHAT_UI_LOG_JSON=true \
    CHAT_UI_LOG_LEVEL=info
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:3000/ready', timeout=4)"]
CMD ["chat-ui", "serve", "--host", "0.0.0.0"]
