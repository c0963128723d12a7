import { MongoClient } from 'mongodb'
import { readBlueprint } from '../kernel/loading/blueprint.ts'
import t from './run/file-test.ts'
import { isLong } from './run/tier.ts'
import { createHome, startServer } from './support/server.ts'
import { createDatabaseUrl } from './support/test-engine.ts'

const all = await readBlueprint({ home: createHome(t), env: {} })

/** In `npm test`, each route of a plugin that is off is called on one of so many servers. */
const TURNS = 8

for (const [place, { plugin }] of all.plugins.entries())
  t.test(`the server runs without the plugin ${plugin.name} and the plugins that depend on it`, async (t) => {
    // A database of the pool has the collections of all plugins.
    const isFresh = isLong || place % 4 === 0
    const url = await createDatabaseUrl(t)
    if (isFresh) await dropCollections(url, plugin.name)
    const server = await startServer(t, {
      config: {
        database: { url },
        plugins: { [plugin.name]: { enabled: false } },
      },
      signIn: false,
    })
    const { blueprint, permissionCatalog } = server.server.runtime
    const running = new Set(blueprint.plugins.map(({ plugin: { name } }) => name))
    t.notOk(running.has(plugin.name))
    for (const { plugin: left } of all.plugins)
      if (!running.has(left.name) && left.name !== plugin.name)
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
        if (!isLong && (index + place) % TURNS > 0) continue
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

/** Drops the collections of a plugin and of the plugins that depend on it. */
async function dropCollections(url: string, name: string): Promise<void> {
  const without = new Set([name])
  for (const { plugin } of all.plugins)
    if (plugin.depends?.some((needed) => without.has(needed))) without.add(plugin.name)
  const client = new MongoClient(url)
  for (const { plugin, declarations } of all.plugins)
    for (const collection of without.has(plugin.name) ? declarations.collections.keys() : [])
      await client.db().dropCollection(collection)
  await client.close()
}
