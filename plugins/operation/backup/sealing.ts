import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { askOnTerminal, type CommandInput, ConfigError } from '#plugin-api'

/** The parameters with which a passphrase becomes a key; `salt` is base64. */
export interface KeyDerivation {
  kdf: 'scrypt'
  n: number
  r: number
  p: number
  salt: string
}

const NONCE_BYTES = 12
const TAG_BYTES = 16
/** The most memory that an archive may ask a derivation to take, in bytes. */
const MAX_MEMORY = 512 * 1024 * 1024
/** Bounds the time of a derivation. */
const MAX_PARALLELIZATION = 4

/** Makes the parameters for a new archive: 64 MiB of memory and some tenths of a second. */
export const newDerivation = (): KeyDerivation => ({
  kdf: 'scrypt',
  n: 2 ** 16,
  r: 8,
  p: 1,
  salt: randomBytes(16).toString('base64'),
})

/** Derives the key of an archive from its passphrase. */
export async function deriveKey(passphrase: string, derivation: KeyDerivation): Promise<Buffer> {
  const derive = promisify(scrypt) as (...args: unknown[]) => Promise<Buffer>
  try {
    const { n, r, p, salt } = derivation
    if (!(p >= 1 && p <= MAX_PARALLELIZATION)) throw new RangeError('p is out of range')
    const options = { N: n, r, p, maxmem: MAX_MEMORY }
    return await derive(passphrase.normalize(), Buffer.from(salt, 'base64'), 32, options)
  } catch (cause) {
    throw new ConfigError('the archive requires an unsupported key derivation', { cause })
  }
}

/** Encrypts a file with AES-256-GCM: nonce, tag, text. It opens only under the same name. */
export function sealFile(key: Buffer, name: string, content: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name))
  const text = Buffer.concat([cipher.update(content), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

/** Decrypts a file; throws one sentence if the passphrase is wrong. */
export function openFile(key: Buffer, name: string, sealed: Buffer): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(name)).setAuthTag(tag)
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
  } catch (cause) {
    throw new ConfigError('the passphrase is wrong, or the archive was changed', { cause })
  }
}

const MIN_LENGTH = 8

/** The option of commands that need the passphrase. */
export const PASSPHRASE_FILE = {
  flags: '--passphrase-file <file>',
  summary: 'read the passphrase from the first line of a file',
}

/**
 * Reads the passphrase from the file of the option or of SVC_BACKUP_PASSPHRASE_FILE, from SVC_BACKUP_PASSPHRASE, or from
 * the terminal, there twice if it is a new one.
 */
export async function readPassphrase(input: CommandInput, { isNew }: { isNew: boolean }): Promise<string> {
  const passphrase = await find(input, isNew)
  if (passphrase.length < MIN_LENGTH)
    throw new ConfigError(`the passphrase must have at least ${MIN_LENGTH} characters`)
  return passphrase
}

async function find(input: CommandInput, isNew: boolean): Promise<string> {
  const { options, env, stdin } = input
  const file = (options.passphraseFile as string | undefined) ?? env.SVC_BACKUP_PASSPHRASE_FILE
  if (file) {
    try {
      return readFileSync(file, 'utf8').split(/\r?\n/)[0]!
    } catch (error) {
      throw new ConfigError(`the passphrase cannot be read: ${(error as Error).message}`)
    }
  }
  if (env.SVC_BACKUP_PASSPHRASE) return env.SVC_BACKUP_PASSPHRASE
  if (!stdin.isTTY)
    throw new ConfigError('a passphrase is needed: use --passphrase-file or set SVC_BACKUP_PASSPHRASE')
  const first = await askOnTerminal(input, 'Passphrase: ', { isSecret: true })
  if (isNew && (await askOnTerminal(input, 'Repeat passphrase: ', { isSecret: true })) !== first)
    throw new ConfigError('the passphrases do not match')
  return first
}
