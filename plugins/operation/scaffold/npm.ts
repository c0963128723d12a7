import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { homedir } from 'node:os'
import { createDeadline } from '#plugin-api'

/** The time that one run of npm may take, in milliseconds. */
const NPM_MS = 120_000
/** The most of npm's output that is kept, in characters. */
const MAX_OUTPUT_CHARS = 20_000

/** A reason, as one sentence for a person, why a plugin was not added or removed. */
export class InstallFailure extends Error {}

/** The surroundings of a call of npm. */
export interface NpmCall {
  /** The folder whose `node_modules` changes. */
  folder: string
  env: NodeJS.ProcessEnv
  /** The folder for npm's cache if the person's own cannot be written. */
  cache: string
  signal?: AbortSignal
}

/** Runs `npm <command> <names>` on a folder, without the scripts of packages. Throws `InstallFailure`. */
export async function runNpm(
  command: 'install' | 'uninstall',
  name: string,
  { folder, env, cache, signal }: NpmCall,
): Promise<void> {
  const args = [
    command,
    '--prefix',
    folder,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--save-exact',
    // The server itself may be a peer, which is linked and never fetched.
    '--legacy-peer-deps',
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
    '--loglevel=error',
    ...(canWriteTo(homedir()) || env.npm_config_cache ? [] : ['--cache', cache]),
    '--',
    name,
  ]
  const deadline = createDeadline([signal], { milliseconds: NPM_MS })
  const child = spawn('npm', args, {
    cwd: folder,
    env: { ...env, npm_config_update_notifier: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const stop = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL')
  deadline.signal.addEventListener('abort', stop, { once: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output = (output + text).slice(-MAX_OUTPUT_CHARS)
    })
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    if (deadline.signal.aborted) throw new InstallFailure('npm took too long and was stopped')
    if (exitCode !== 0) throw new InstallFailure(explain(output, name, folder))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new InstallFailure('npm is not installed on this machine, or not in PATH', { cause: error })
  } finally {
    deadline.release()
  }
}

/** Explains the failure of npm by the code that it prints. */
function explain(output: string, name: string, folder: string): string {
  const code = /npm (?:error|ERR!) code (\w+)/.exec(output)?.[1] ?? ''
  if (code === 'E404') return `"${name}" does not exist in the registry of npm`
  if (code === 'ETARGET') return `"${name}": the registry of npm has no such version`
  if (['E401', 'E403'].includes(code)) return `the registry of npm refuses access to "${name}" (${code})`
  if (['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENETUNREACH'].includes(code))
    return `the registry of npm cannot be reached (${code})`
  if (['EACCES', 'EPERM', 'EROFS'].includes(code)) return `npm cannot write to ${folder} (${code})`
  if (code === 'ENOSPC') return 'the disk is full'
  const line = output
    .split('\n')
    .map((text) => text.replace(/^npm (error|ERR!) /, '').trim())
    .find((text) => text !== '' && !text.startsWith('code ') && !text.startsWith('A complete log'))
  return `npm failed${line ? `: ${line}` : ''}`
}

function canWriteTo(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
