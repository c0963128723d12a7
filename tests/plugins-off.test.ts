import { MongoClient } from 'mongodb'
import { readBlueprint } from '../kernel/loading/blueprint.ts'
import t from './run/file-test.ts'
import { isLong } from './run/tier.ts'
import { createHome, startServer } from './support/server.ts'
import { createDatabaseUrl } from './support/test-engine.ts'

const all = await readBlueprint({ home: createHome(t), env: {} })

/** In `npm test`, so many plugins are switched off on one server, and each of their routes is called on one of so many. */
const TOGETHER = isLong ? 1 : 5
const TURNS = isLong ? 1 : 4

const servers = Math.ceil(all.plugins.length / TOGETHER)
/** The plugins that are switched off on each server; those of one are far apart in the order of their dependencies. */
const choices = Array.from({ length: servers }, (_, index) =>
  all.plugins.filter((_, place) => place % servers === index).map(({ name }) => name),
)

for (const [place, chosen] of choices.entries())
  t.test(`the server runs without ${chosen.join(', ')} and the plugins that depend on them`, async (t) => {
    // A database of the pool has the collections of all plugins.
    const isFresh = isLong || place % 2 === 0
    const url = await createDatabaseUrl(t)
    if (isFresh) await dropCollections(url, chosen)
    const server = await startServer(t, {
      config: {
        database: { url },
        plugins: Object.fromEntries(chosen.map((name) => [name, { enabled: false }])),
      },
      signIn: false,
    })
    const { blueprint, permissionCatalog } = server.server.runtime
    const running = new Set(blueprint.plugins.map(({ plugin: { name } }) => name))
    for (const { name, plugin } of all.plugins)
      if (chosen.includes(name)) t.equal(running.has(name), plugin.always === true, name)
    for (const { plugin: left } of all.plugins)
      if (!running.has(left.name) && !chosen.includes(left.name))
        t.ok(
          left.depends?.some((name) => !running.has(name)),
          `${left.name} is left out because it depends on a missing plugin`,
        )

    const announced = server.server.announcements.map(({ label }) => label)
    t.equal(announced.includes('chat'), running.has('chat'), 'the start offers a chat only if there is one')

    const health = await server.request('GET', '/health', { token: null })
    t.match(health, { status: 200, body: { status: 'ok' } })
    t.same(Object.keys(health.body.plugins).sort(), [...running].sort())

    const { body: document } = await server.request('GET', '/openapi.json', { token: null })
    // A path such as /users/invites also matches /users/:id.
    const paths = blueprint.plugins.flatMap(({ declarations: { routes } }) =>
      routes.map(({ path }) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)),
    )
    const wrong: string[] = []
    for (const planned of all.plugins) {
      const isRunning = running.has(planned.plugin.name)
      for (const [index, { method, path }] of planned.declarations.routes.entries()) {
        const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
        if (isRunning !== (operation !== undefined)) wrong.push(`${method} ${path}`)
        const sample = path.replace(/:\w+/g, 'x')
        if (isRunning || paths.some((taken) => taken.test(sample))) continue
        if ((index + place) % TURNS > 0) continue
        const { status } = await server.request(method, sample, { token: null })
        t.equal(status, 404, `${method} ${path} does not exist`)
      }
      for (const { key } of planned.plugin.permissions ?? [])
        t.equal(permissionCatalog.get(key) !== undefined, isRunning, `the permission ${key}`)
    }
    t.strictSame(wrong, [], 'just the routes of running plugins are described')
    if (!isFresh) return
    const collections = (await server.db.listCollections().toArray()).map(({ name }) => name)
    for (const planned of all.plugins)
      if (!running.has(planned.plugin.name))
        for (const name of planned.declarations.collections.keys())
          t.notOk(collections.includes(name), `no ${name}`)
  })

/** Drops the collections of plugins and of the plugins that depend on them. */
async function dropCollections(url: string, names: readonly string[]): Promise<void> {
  const without = new Set(names)
  for (const { plugin } of all.plugins)
    if (plugin.depends?.some((needed) => without.has(needed))) without.add(plugin.name)
  const client = new MongoClient(url)
  for (const { plugin, declarations } of all.plugins)
    for (const collection of without.has(plugin.name) ? declarations.collections.keys() : [])
      await client.db().dropCollection(collection)
  await client.close()
}
