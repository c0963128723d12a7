/** Folders and files that nobody misses in a copy: what came in, what is made again, and what went on. */
const PASSED_OVER = new Set([
  'inbound',
  'uploads',
  'sessions',
  'logs',
  'tmp',
  '.tmp',
  '.cache',
  '.git',
  '.hg',
  '.svn',
  'node_modules',
  '__pycache__',
  '.venv',
  'venv',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.ipynb_checkpoints',
  '.ds_store',
  'thumbs.db',
  'desktop.ini',
])
const LOG = /\.log(?:\.[0-9a-z.-]+)?$/

/** Folders in which programs keep keys, logins and the like. */
const CREDENTIAL_FOLDERS = new Set([
  '.aws',
  '.azure',
  '.docker',
  '.gcloud',
  '.gnupg',
  '.kube',
  '.password-store',
  '.secrets',
  '.ssh',
  '.terraform',
  'credentials',
  'gcloud',
  'secrets',
])

/** Files in which keys, logins and the like are kept, by their names in lower case. */
const CREDENTIAL_FILES: readonly RegExp[] = [
  /^\.env|\.env$/,
  // Keys, certificates with keys, and stores of them.
  /\.(?:pem|key|p8|p12|pfx|pkcs8|pkcs12|der|ppk|jks|jceks|bks|keystore|keytab|agekey|asc|gpg|pgp|ovpn)$/,
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|ssh_host_)/,
  /\.(?:kdbx?|1pux|agilekeychain|opvault|keychain(?:-db)?|wallet)$|^wallet\.dat$/,
  // What programs keep logins in.
  /^credentials|^(?:service[_-]?account|client[_-]?secret).*\.json$/,
  /^secrets.*\.(?:json|ya?ml|toml)$|^(?:secret|tokens?|passwords?|auth|cookies?)\.(?:json|ya?ml|toml|ini|txt|csv)$/,
  /^[._](?:npmrc|yarnrc|netrc|pypirc|pgpass|my\.cnf|mylogin\.cnf|htpasswd|git-credentials|dockercfg|dockerconfigjson|boto|s3cfg|rclone\.conf|terraformrc|vault-token|token|secret)/,
  /^(?:kubeconfig|rclone\.conf|terraform\.rc)|\.tfstate|\.tfvars/,
  /^\.[a-z_]+_history$/,
  // Databases hold what nobody has looked through.
  /\.(?:sqlite|db)[0-9]?(?:$|[-.])/,
  /\.(?:mdb|accdb|rdb)$/,
]

/**
 * Why something in a workspace is not published, by its name alone: `passed_over` where nobody would miss it,
 * `credentials` where it is what keys and logins are kept in; undefined where its name says nothing against it.
 */
export function exclusionOf(name: string, isFolder: boolean): 'passed_over' | 'credentials' | undefined {
  const lower = name.toLowerCase()
  if (PASSED_OVER.has(lower) || (!isFolder && LOG.test(lower))) return 'passed_over'
  if (isFolder ? CREDENTIAL_FOLDERS.has(lower) : CREDENTIAL_FILES.some((pattern) => pattern.test(lower)))
    return 'credentials'
  return undefined
}
