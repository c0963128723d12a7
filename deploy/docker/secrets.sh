#!/bin/sh
# Makes the secrets that compose.yaml reads from the folder `secrets`; those that exist stay as they are.
set -eu
umask 022
mkdir -p secrets
# Containers have other users than this one, so the folder protects the files.
chmod 700 secrets

random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
keep_or_write() { [ -s "secrets/$1" ] || printf '%s\n' "$2" > "secrets/$1"; }

keep_or_write mongo-root-password "$(random)"
keep_or_write database-url "mongodb://svc:$(random)@database/svc"
keep_or_write backup-passphrase "$(random)"
