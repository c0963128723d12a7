import { readFileSync } from 'node:fs'
import { type CommandInput, ConfigError } from '#kernel'
import { askOnTerminal } from '#toolbox'

const MIN_LENGTH = 8

/** The option of commands that need the passphrase. */
export const PASSPHRASE_FILE = {
  flags: '--passphrase-file <file>',
  summary: 'read the passphrase from the first line of a file instead of SVC_BACKUP_PASSPHRASE',
}

/** Reads the passphrase from a file, from SVC_BACKUP_PASSPHRASE or from the terminal, there twice if it is a new one. */
export async function readPassphrase(input: CommandInput, { isNew }: { isNew: boolean }): Promise<string> {
  const passphrase = await find(input, isNew)
  if (passphrase.length < MIN_LENGTH)
    throw new ConfigError(`the passphrase has less than ${MIN_LENGTH} characters`)
  return passphrase
}

async function find(input: CommandInput, isNew: boolean): Promise<string> {
  const { options, env, stdin } = input
  if (typeof options.passphraseFile === 'string') {
    try {
      return readFileSync(options.passphraseFile, 'utf8').split(/\r?\n/)[0]!
    } catch (error) {
      throw new ConfigError(`the passphrase cannot be read: ${(error as Error).message}`)
    }
  }
  if (env.SVC_BACKUP_PASSPHRASE) return env.SVC_BACKUP_PASSPHRASE
  if (!stdin.isTTY)
    throw new ConfigError('a passphrase is needed: use --passphrase-file or set SVC_BACKUP_PASSPHRASE')
  const first = await askOnTerminal(input, 'Passphrase: ', { isSecret: true })
  if (isNew && (await askOnTerminal(input, 'Again: ', { isSecret: true })) !== first)
    throw new ConfigError('the passphrases differ')
  return first
}
