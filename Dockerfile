# The service on a CPU, without torch (200 MB of packages); nothing runs as root or is written.
# Whoever can reach the published port may use it: publish to 127.0.0.1, or give a token.
#   docker build -t semilar .
#   docker run --rm -p 127.0.0.1:8000:8000 --read-only --cap-drop ALL semilar
FROM python:3.12-slim AS build
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src ./src
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --no-compile -c constraints.txt ".[serve]"

FROM python:3.12-slim
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin semilar
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 10001
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
ENTRYPOINT ["semilar", "serve"]
CMD ["--host", "0.0.0.0", "--public"]
