# An image of a release: docker build --build-arg PACKAGE=target/packages/casebook_0.1.0_amd64.deb -t casebook .
FROM debian:stable-slim

ARG PACKAGE
COPY ${PACKAGE} /tmp/casebook.deb
RUN apt-get update \
  && apt-get install -y --no-install-recommends /tmp/casebook.deb git \
  && rm -rf /var/lib/apt/lists/* /tmp/casebook.deb

WORKDIR /work
ENTRYPOINT ["casebook"]
