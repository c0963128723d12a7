import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const SVC = fileURLToPath(new URL('../../../kernel/cli/main.js', import.meta.url))

/** The longest time that the server may take to start and to stop, in milliseconds. */
const LIMIT_MS = 120_000

/** A folder to start a server with: the parent folder in the home, `plugins` or that of an extension point, and its name. */
export interface StartedFolder {
  name: string
  folder: string
  parent: string
  /** Folders of the plugins that it depends on. */
  beside: readonly string[]
}

/**
 * Starts a server with a folder, in a process of its own with a home and a database that are then removed, and stops it.
 * Returns a sentence about the first thing that failed, or undefined.
 */
export async function findStartFault({
  name,
  folder,
  parent,
  beside,
}: StartedFolder): Promise<string | undefined> {
  const home = mkdtempSync(join(tmpdir(), 'svc-check-'))
  try {
    for (const [group, target] of [[parent, folder], ...beside.map((other) => ['plugins', other])] as const) {
      mkdirSync(join(home, group!), { recursive: true })
      symlinkSync(target!, join(home, group!, basename(target!)))
    }
    // A required plugin stops the start with the sentence that says why it failed.
    writeFileSync(join(home, 'config.json'), JSON.stringify({ plugins: { [name]: { required: true } } }))
    return await runServer(home, name)
  } finally {
    // The engine of the database ends a moment after the server.
    await rm(home, { recursive: true, force: true, maxRetries: 50 })
  }
}

function runServer(home: string, name: string): Promise<string | undefined> {
  const child = spawn(process.execPath, [SVC, 'serve', '--json'], {
    env: createEnvironment(home),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const faults: string[] = []
  createInterface(child.stderr).on('line', (line) => {
    const fault = /^svc: (?:\w*Error: )?(.*)/.exec(line)?.[1] ?? readFault(line, name)
    if (fault !== undefined) faults.push(fault)
  })
  createInterface(child.stdout).once('line', () => child.kill())
  const timer = setTimeout(() => {
    faults.push(`its server did not start and stop within ${LIMIT_MS / 1000} seconds`)
    child.kill('SIGKILL')
  }, LIMIT_MS)
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve(faults[0] ?? (code === 0 ? undefined : `its server ended with exit code ${code}`))
    })
  })
}

/** Returns what a line of the log says about an error of a plugin. */
function readFault(line: string, name: string): string | undefined {
  if (!line.startsWith('{')) return undefined
  const { level, plugin, msg, error } = JSON.parse(line)
  const isFailedStop = msg === `plugin "${name}" failed to stop`
  return level >= 50 && (plugin === name || isFailedStop) ? `${msg}: ${error?.message}` : undefined
}

/** Returns this environment without the settings of the developer's own server. */
function createEnvironment(home: string): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !/^SVC_/.test(name))
  return {
    ...Object.fromEntries(others),
    SVC_HOME: home,
    SVC_PORT: '0',
    SVC_LOG_LEVEL: 'error',
    SVC_ADMIN_PASSWORD: `1${randomBytes(18).toString('base64url')}`,
  }
}
