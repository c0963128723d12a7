import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Duplex, PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { createStdio, follow, spawnWith } from './child-process.ts'
import { describeHidden, findHiddenArgument, findHiddenProgram, HIDDEN } from './hidden-paths.ts'
import { createNamespaceGroup } from './process-group.ts'
import { describeExcess, explainEnd } from './program-limits.ts'
import { watchResources } from './resource-watch.ts'
import type { Enclosure } from './sandbox.ts'
import type { ProcessEnd, ProcessOrder, StartedProcess } from './start-process.ts'

/** The last characters of bubblewrap's messages that are kept. */
const MAX_MESSAGE_CHARS = 4096
/**
 * The descriptor on which bubblewrap reports its status: a file, since a pipe to a server that was killed would kill
 * bubblewrap before it lets the first process of the sandbox go on, which would wait for ever.
 */
const STATUS_FD = 3
/** The descriptor over which the server and the first command in the sandbox speak before the program starts. */
const GATE_FD = 4
/** The first command in the sandbox: it starts the program once the server has answered, and never without an answer. */
const GATE = `exec ${STATUS_FD}>&-; echo >&${GATE_FD} && read -r answer <&${GATE_FD} || exit 1; exec ${GATE_FD}>&-; exec "$0" "$@"`
/** The descriptor that ends when the server does. */
const KEEPER_FD = 5
/** The descriptor from which bubblewrap reads the environment of the program: arguments are visible to everybody. */
const ENVIRONMENT_FD = 6
/**
 * The parent of bubblewrap, which binds the sandbox to its parent while it sets the sandbox up: half of it would stay if
 * the parent was killed meanwhile. This parent is not, if the server is: the gate does not open then, and all end by
 * themselves. Once the gate is open it is killed with the server, and the sandbox with it.
 */
const KEEPER = [
  `(read -r open <&${KEEPER_FD} && { read -r end <&${KEEPER_FD}; kill -KILL $$; })`,
  `< /dev/null > /dev/null 2>&1 ${STATUS_FD}>&- ${GATE_FD}>&- ${ENVIRONMENT_FD}>&- & keeper=$!;`,
  `"$@" ${KEEPER_FD}>&-; code=$?; kill -KILL $keeper 2> /dev/null; exit $code`,
].join(' ')
/** The exit codes of prlimit if it cannot start a program. */
const REFUSAL_CODES = [126, 127]

/** Starts a process in the sandbox. Rejects with the system's error if it cannot be started. */
export async function startEnclosed(
  { file, args, cwd, env, hasInput, writable, network, runsOn }: ProcessOrder,
  { command, limit, limits, groups, look }: Enclosure,
): Promise<StartedProcess> {
  const hidden = await findHiddenProgram({ file, cwd, env }, look)
  if (hidden !== undefined)
    throw Object.assign(new Error(describeHidden(hidden)), { code: HIDDEN, syscall: 'spawn' })
  const environmentArgs = toEnvironmentArgs(env)
  const status = await openUnlisted()
  const begin = async () => {
    const child = spawnWith(
      '/bin/sh',
      [
        ...['-c', KEEPER, 'sh', ...command, '--args', String(ENVIRONMENT_FD)],
        ...['--json-status-fd', String(STATUS_FD), '--chdir', cwd, '--'],
        ...['/bin/sh', '-c', GATE, ...limit, file, ...args],
      ],
      // The variables of a program could make the shell and bubblewrap load what is not theirs, outside the sandbox.
      { cwd: '/', env: {} },
      [...createStdio(hasInput), status.fd, 'pipe', 'pipe', 'pipe'],
    )
    const { ended, closed: childClosed } = await follow(child)
    const channels = child.stdio as readonly unknown[] as readonly Duplex[]
    const environment = channels[ENVIRONMENT_FD]!
    // The sandbox may fail before it has read them.
    environment.on('error', () => undefined)
    environment.end(environmentArgs)
    // Node.js drops the output that nobody reads yet when a program ends, which it may before its sandbox is reported.
    const stdout = child.stdout.pipe(new PassThrough())
    const stderr = child.stderr.pipe(new PassThrough())
    const closed = Promise.allSettled([childClosed, finished(stdout), finished(stderr)])
    if (!(await isAtGate(channels[GATE_FD]!))) {
      stdout.resume()
      throw new Error(`the sandbox cannot be set up: ${(await text(stderr)).trim()}`)
    }
    return { child, ended, channels, stdout, stderr, closed, init: await readInit(status) }
  }
  const { child, ended, channels, stdout, stderr, closed, init } = await begin().finally(() => status.close())
  const gate = channels[GATE_FD]!

  try {
    const leaveGroup = await groups?.limit(init, limits.tasks)
    if (leaveGroup) closed.then(leaveGroup)
  } catch (error) {
    gate.destroy()
    throw error
  }
  const keeper = channels[KEEPER_FD]!
  // The sandbox may be killed at any time.
  keeper.on('error', () => undefined)
  keeper.write('open\n')
  gate.end('go\n')

  let hasEnded = false
  const sent = new Set<NodeJS.Signals>()
  const group = createNamespaceGroup(init, (signal) => {
    sent.add(signal)
    return !hasEnded
  })
  const watching = new AbortController()
  let excess: string | undefined
  const folders = writable.folders
  watchResources({ init, limits, runsOn, folders }, watching.signal).then((reason) => {
    if (reason === undefined) return
    excess = describeExcess(reason, limits)
    group.kill('SIGKILL')
  })
  let messages = ''
  // Nothing is lost: the stream flows from the next turn of the event loop, when the caller listens too.
  stderr.on('data', (chunk) => {
    messages = (messages + chunk).slice(-MAX_MESSAGE_CHARS)
  })
  const endedInside = ended.then(async ({ code, signal }): Promise<ProcessEnd> => {
    hasEnded = true
    watching.abort()
    if (code === null) return { code, signal }
    if (REFUSAL_CODES.includes(code)) {
      await closed
      const refusal = parseRefusal(messages)
      if (refusal) throw refusal
    }
    return { ...toEnd(code, sent), excess }
  })
  const findHidden = () => findHiddenArgument(args, look)
  return {
    stdin: child.stdin,
    stdout,
    stderr,
    group,
    ended: endedInside,
    closed,
    findHiddenArgument: findHidden,
    async explainFailure(end, output) {
      const hidden = await findHidden()
      return [...(hidden ? [hidden] : []), ...explainEnd(end, output, { limits, network })]
    },
  }
}

/** Returns the arguments of bubblewrap that set variables, each ended by a NUL character. */
function toEnvironmentArgs(env: ProcessOrder['env']): string {
  const args = Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])
  if (args.some((arg) => arg.includes('\0')))
    throw new Error('an environment variable contains a NUL character')
  return args.map((arg) => `${arg}\0`).join('')
}

/** Opens an empty file that no folder lists. */
async function openUnlisted(): Promise<FileHandle> {
  const path = join(tmpdir(), `svc-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

/** Reads the pid of the first process in the sandbox from the report of bubblewrap. */
async function readInit(status: FileHandle): Promise<number> {
  const { buffer, bytesRead } = await status.read({ position: 0 })
  const [line] = buffer.toString('utf8', 0, bytesRead).split('\n')
  return JSON.parse(line!)['child-pid']
}

/** True once the first command in the sandbox waits for an answer; false if the sandbox has ended before. */
function isAtGate(gate: Duplex): Promise<boolean> {
  // The sandbox may be killed at any time.
  gate.on('error', () => undefined)
  return new Promise((resolve) => {
    gate.once('data', () => resolve(true))
    gate.once('close', () => resolve(false))
  })
}

/** Bubblewrap exits with 128 plus the signal that ended the program, but a program may also exit with such a code. */
function toEnd(code: number, sent: ReadonlySet<NodeJS.Signals>): ProcessEnd {
  const signal = [...sent].find((name) => constants.signals[name] === code - 128)
  return signal ? { code: null, signal } : { code, signal: null }
}

const CODES: Record<string, string> = {
  'Argument list too long': 'E2BIG',
  'Cannot allocate memory': 'ENOMEM',
  'Exec format error': 'ENOEXEC',
  'File name too long': 'ENAMETOOLONG',
  'No such file or directory': 'ENOENT',
  'Not a directory': 'ENOTDIR',
  'Operation not permitted': 'EPERM',
  'Permission denied': 'EACCES',
}

/** Converts the message of prlimit about a program that it cannot start to an error; undefined for any other output. */
function parseRefusal(said: string): Error | undefined {
  const message = /^(?:prlimit: failed to execute|.*: exec:) .*: ([^:\n]+)\n$/.exec(said)
  if (!message) return undefined
  const reason = message[1]!
  return Object.assign(new Error(said.trim()), { code: CODES[reason] ?? reason, syscall: 'spawn' })
}
