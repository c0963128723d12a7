import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import { createConfinedPool } from '../../plugin-api/toolbox/index.ts'
import t, { type Test } from '../run/file-test.ts'

const MODULE = new URL('../support/confined-worker.js', import.meta.url)
const TOOLBOX = new URL('../../plugin-api/toolbox/index.js', import.meta.url)
const BOUNDS = { memory_mib: 160, max_ms: 60_000 }
/** The variables that a shell sets for its programs. */
const SHELL_NAMES = new Set(['PWD', 'OLDPWD', 'SHLVL', '_'])
/** The most that this process may grow by while others are full. */
const ROOM_MIB = 100

const failsBy = (reason: string) => ({ message: new RegExp(`ended: ${reason}`) })

const createPool = (t: Test) => {
  const pool = createConfinedPool(MODULE, BOUNDS)
  t.teardown(() => pool.end())
  return pool
}

/** Returns the first answer of a new program. */
const ask = async (
  t: Test,
  deed: string,
  { time_ms = BOUNDS.max_ms, signal = new AbortController().signal } = {},
) => {
  const program = createPool(t).take('anyone')
  try {
    const { value } = await program.ask({ deed }, time_ms, signal).next()
    return value as never
  } finally {
    await program.end()
  }
}

t.test('A confined program answers, and is given nothing else', async (t) => {
  const { env, pid } = await ask(t, 'look')
  const names = Object.keys(env).filter((name) => !SHELL_NAMES.has(name))
  t.strictSame(names, [], 'no variable of this process')
  t.not(pid, process.pid)
  t.notOk(existsSync(`/proc/${pid}`), 'it has ended')
  t.equal(await ask(t, 'print'), 'printed', 'what libraries print is no answer')
})

t.test('A confined program that takes too much is ended, and its starter keeps its memory', async (t) => {
  const rssBefore = process.memoryUsage.rss()
  for (const deed of ['fill-buffers', 'fill-heap']) await t.rejects(ask(t, deed), failsBy('memory'), deed)
  await t.rejects(ask(t, 'flood'), failsBy('memory'), 'an answer without end')
  const added = (process.memoryUsage.rss() - rssBefore) / 1024 / 1024
  t.ok(added < ROOM_MIB, `${added.toFixed()} MiB more`)
})

t.test(
  'The system refuses memory to a confined program',
  { skip: process.platform !== 'linux' },
  async (t) => {
    t.match(await ask(t, 'take-much'), /allocation failed/)
  },
)

t.test('A confined program that takes too long, fails or is not wanted any more is ended', async (t) => {
  await t.rejects(ask(t, 'throw'), failsBy('crash [^]*no document'))
  const program = createPool(t).take('anyone')
  const answers = program.ask({ deed: 'spin' }, 2000, new AbortController().signal)
  const { value: pid } = await answers.next()
  await t.rejects(answers.next(), failsBy('time'))
  await program.end()
  t.notOk(existsSync(`/proc/${pid}`))
  const stopping = new AbortController()
  const asking = ask(t, 'fill-heap', { signal: stopping.signal })
  stopping.abort(new Error('stopped'))
  await t.rejects(asking, { message: 'stopped' })
})

t.test(
  'The end of the process that started it ends a confined program, also in the middle of its work',
  async (t) => {
    const script = `
    import { createConfinedPool } from '${TOOLBOX}'
    const program = createConfinedPool(new URL('${MODULE}'), ${JSON.stringify(BOUNDS)}).take('anyone')
    const answers = program.ask({ deed: 'spin' }, 60_000, new AbortController().signal)
    console.log((await answers.next()).value)
    await answers.next()`
    const starter = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [pid] = await once(createInterface({ input: starter.stdout }), 'line')
    t.doesNotThrow(() => process.kill(Number(pid), 0))
    starter.kill('SIGKILL')
    await eventually('the end of the program', () => {
      try {
        return !process.kill(Number(pid), 0)
      } catch {
        return true
      }
    })
  },
)

t.test('A pool keeps a program for its owner alone, and at most two', async (t) => {
  const pool = createPool(t)
  const [first, second, third] = ['a', 'b', 'c'].map((owner) => pool.take(owner))
  const pids = new Map<unknown, number>()
  const signal = new AbortController().signal
  for (const program of [first!, second!, third!])
    pids.set(
      program,
      ((await program.ask({ deed: 'look' }, 60_000, signal).next()).value as { pid: number }).pid,
    )
  await pool.keep('a', first!)
  await pool.keep('b', second!)
  t.equal(pool.take('b'), second)
  await pool.keep('b', second!)
  await pool.keep('c', third!)
  const other = pool.take('a')
  t.not(other, first)
  t.throws(() => process.kill(pids.get(first)!, 0), { code: 'ESRCH' }, 'the oldest one has ended')
  t.equal(pool.take('c'), third)
  await pool.keep('c', third!)
  process.kill(pids.get(third)!, 'SIGKILL')
  await eventually('the end of the idle program', () => !third!.isRunning())
  const next = pool.take('c')
  t.not(next, third, 'a program that has ended is not used')
  await Promise.all([other.end(), next.end()])
})
