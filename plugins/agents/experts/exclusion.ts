/** Folders and files that a copy does not need: uploads, generated files, and logs. */
const UNNEEDED = new Set([
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

/** Folders in which programs store credentials, in lower case. */
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

/** Names of files in which credentials are stored, in lower case. */
const CREDENTIAL_FILES: readonly RegExp[] = [
  /^\.env|\.env$/,
  // Keys, certificates with keys, and key stores.
  /\.(?:pem|key|p8|p12|pfx|pkcs8|pkcs12|der|ppk|jks|jceks|bks|keystore|keytab|agekey|asc|gpg|pgp|ovpn)$/,
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|ssh_host_)/,
  /\.(?:kdbx?|1pux|agilekeychain|opvault|keychain(?:-db)?|wallet)$|^wallet\.dat$/,
  // Files with logins.
  /^credentials|^(?:service[_-]?account|client[_-]?secret).*\.json$/,
  /^secrets.*\.(?:json|ya?ml|toml)$|^(?:secret|tokens?|passwords?|auth|cookies?)\.(?:json|ya?ml|toml|ini|txt|csv)$/,
  /^[._](?:npmrc|yarnrc|netrc|pypirc|pgpass|my\.cnf|mylogin\.cnf|htpasswd|git-credentials|dockercfg|dockerconfigjson|boto|s3cfg|rclone\.conf|terraformrc|vault-token|token|secret)/,
  /^(?:kubeconfig|rclone\.conf|terraform\.rc)|\.tfstate|\.tfvars/,
  /^\.[a-z_]+_history$/,
  // Databases, whose content is not scanned.
  /\.(?:sqlite|db)[0-9]?(?:$|[-.])/,
  /\.(?:mdb|accdb|rdb)$/,
]

/**
 * Returns the reason why an entry of a workspace is not published, judged by its name alone: `unneeded` if nobody would
 * miss it, `credentials` if such entries hold keys or logins. Returns undefined if the name is harmless.
 */
export function findExclusion(name: string, isFolder: boolean): 'unneeded' | 'credentials' | undefined {
  const lower = name.toLowerCase()
  if (UNNEEDED.has(lower) || (!isFolder && LOG.test(lower))) return 'unneeded'
  if (isFolder ? CREDENTIAL_FOLDERS.has(lower) : CREDENTIAL_FILES.some((pattern) => pattern.test(lower)))
    return 'credentials'
  return undefined
}
