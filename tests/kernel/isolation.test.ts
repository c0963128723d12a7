import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from '../run/file-test.ts'
import { bareConfig, createHome, pluginSource, routeSource, spawnServer } from '../support/kernel.ts'
import { installPlugin } from '../support/server.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

/** A route below which each path leaves an error to nobody, in its own way. */
const careless = `
const later = { timer: () => setTimeout(() => { throw new Error('from a timer') }),
  promise: () => { Promise.reject(new Error('from a promise')) },
  text: () => { Promise.reject('from a promise without a stack') },
  loop: () => { for (const end = Date.now() + 3000; Date.now() < end; ); },
  microtask: () => queueMicrotask(() => { throw new Error('from a microtask') }) }
setTimeout(() => { throw new Error('while it was loaded') })
${pluginSource(
  'careless',
  `setTimeout(() => { throw new Error('while it was declared') })
   host.routes([${routeSource('/careless/:way', 'void later[request.params.way](), true')}])
   host.job({ name: 'careless', every_seconds: 3600, run() { setTimeout(() => { throw new Error('from a job') }) } })`,
)}`

/** Runs the server with this plugin; \`ours\` is JavaScript that runs in its process before anything else. */
async function run(t: Test, { ours = '' } = {}) {
  const home = createHome(t, bareConfig({ database: { url: await createDatabaseUrl(t) } }))
  installPlugin(home, 'careless', careless)
  const preload = join(home, 'preload.mjs')
  writeFileSync(preload, ours)
  return spawnServer(t, home, [], { nodeArgs: ['--import', preload], measuresCoverage: true })
}

t.test(
  'errors that a plugin from outside leaves to nobody are logged under its name, and end nothing',
  async (t) => {
    const { url, child, ended, output } = await run(t)
    const get = (path: string) => fetch(`${url}/api${path}`)
    for (const way of ['timer', 'promise', 'text', 'microtask'])
      t.equal((await get(`/careless/${way}`)).status, 200)
    const messages = [
      'from a timer',
      'from a promise',
      'from a promise without a stack',
      'from a microtask',
      'from a job',
      'while it was loaded',
      'while it was declared',
    ]
    const faults = () =>
      output()
        .stderr.split('\n')
        .filter((line) => line.includes('a plugin did not catch an error'))
    while (faults().length < messages.length) await once(child.stderr, 'data')
    for (const message of messages)
      t.ok(
        faults().some((line) => line.includes(message) && line.includes('"plugin":"careless"')),
        message,
      )
    t.equal((await get('/careless/loop')).status, 200)
    while (!output().stderr.includes('blocks the event loop')) await once(child.stderr, 'data')
    t.match(
      output().stderr,
      /"plugin":"careless","msg":"a plugin blocks the event loop for more than a second"/,
    )
    t.match(await (await get('/health')).json(), { status: 'degraded', plugins: { careless: 'degraded' } })
    child.kill()
    t.match(await ended, { code: 0 })
  },
)

t.test('an error of our own that nobody caught ends the server in order', async (t) => {
  const ours = "process.on('SIGUSR2', () => setTimeout(() => { throw new Error('ours') }))"
  const { child, ended } = await run(t, { ours })
  child.kill('SIGUSR2')
  const { code, stderr } = await ended
  t.equal(code, 1)
  t.match(stderr, /^Stopping because of an error.$/m)
  t.match(stderr, /"level":(60|"fatal").*ours.*an error that nobody caught ends the server/)
})

t.test('an error of our own while the server starts ends the process at once', async (t) => {
  const ours = `const waiting = setInterval(() => {
    if (process.listenerCount('uncaughtException') === 0) return
    clearInterval(waiting)
    throw new Error('ours, early')
  })`
  await t.rejects(run(t, { ours }), /svc: Error: ours, early/)
})
