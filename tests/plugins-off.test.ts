import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { readBlueprint } from '../kernel/loading/blueprint.ts'
import { eventually } from '../plugin-api/testing/waiting.ts'
import t from './run/file-test.ts'
import { isLong } from './run/tier.ts'
import { runCommand } from './support/kernel.ts'
import { createHome, startServer } from './support/server.ts'
import { createDatabaseUrl } from './support/test-engine.ts'

const all = await readBlueprint({ home: createHome(t), env: {} })

/** In `npm test`, so many plugins are switched off on one server, and each of their routes is called on one of so many. */
const TOGETHER = isLong ? 1 : 5
const TURNS = isLong ? 1 : 4

const servers = Math.ceil(all.plugins.length / TOGETHER)
/** The plugins that are switched off on each server, which are far apart in the order of their dependencies. */
const choices = Array.from({ length: servers }, (_, index) =>
  all.plugins.filter((_, position) => position % servers === index).map(({ name }) => name),
)

for (const [index, chosen] of choices.entries())
  t.test(`the server runs without ${chosen.join(', ')} and the plugins that depend on them`, async (t) => {
    // A database of the pool has the collections of all plugins.
    const isFresh = isLong || index % 2 === 0
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
      for (const [position, { method, path }] of planned.declarations.routes.entries()) {
        const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
        if (isRunning !== (operation !== undefined)) wrong.push(`${method} ${path}`)
        const sample = path.replace(/:\w+/g, 'x')
        if (isRunning || paths.some((taken) => taken.test(sample))) continue
        if ((position + index) % TURNS > 0) continue
        const { status } = await server.request(method, sample, { token: null })
        t.equal(status, 404, `${method} ${path} does not exist`)
      }
      for (const { key } of planned.plugin.permissions ?? [])
        t.equal(permissionCatalog.get(key) !== undefined, isRunning, `the permission ${key}`)
    }
    t.strictSame(wrong, [], 'just the routes of running plugins are described')
    if (running.has('console')) {
      const { body } = await server.request('GET', '/console', { token: null })
      t.same(
        Object.keys(body.features).sort(),
        [...running].sort(),
        'the menu has the pages of running plugins',
      )
    }
    if (!isFresh) return
    const collections = (await server.db.listCollections().toArray()).map(({ name }) => name)
    for (const planned of all.plugins)
      if (!running.has(planned.plugin.name))
        for (const name of planned.declarations.collections.keys())
          t.notOk(collections.includes(name), `no ${name}`)
  })

/** Lists the kinds that come with the server for an extension point. */
const listKinds = (point: string) =>
  all.entries.filter((entry) => entry.point === point && entry.source === 'built-in').map(({ name }) => name)

t.test('a kind that is switched off is gone, and what was made of it waits for it', async (t) => {
  const channelKinds = listKinds('channels.kinds')
  const providerKinds = listKinds('providers.kinds')
  t.same([channelKinds.length, providerKinds.length], [12, 8])
  const config = { database: { url: await createDatabaseUrl(t) } }
  const home = createHome(t, config)
  const server = await startServer(t, { home })
  const [agent] = (await server.request('GET', '/agents')).body
  const channelsPath = `/agents/${agent.id}/channels`
  for (const kind of channelKinds) {
    const body = { kind, name: kind, enabled: false }
    t.equal((await server.request('POST', channelsPath, { body })).status, 201, kind)
  }
  const toProvider = (kind: string) => ({
    name: `my-${kind}`,
    kind,
    ...(kind !== 'demo' && { base_url: 'https://models.example' }),
    ...(kind === 'bedrock' && { options: { region: 'us-east-1' } }),
    models: [{ id: 'm' }],
  })
  for (const kind of providerKinds)
    t.equal((await server.request('POST', '/admin/providers', { body: toProvider(kind) })).status, 201, kind)
  // Drafts that are enabled fail before they connect, because they lack fields.
  await server.db.collection('channels').updateMany({}, { $set: { enabled: true }, $inc: { revision: 1 } })

  for (const isOff of [(index: number) => index % 2 === 0, (index: number) => index % 2 === 1, () => false]) {
    const off = [channelKinds, providerKinds].flatMap((kinds) => kinds.filter((_, index) => isOff(index)))
    const isOn = (kind: string) => !off.includes(kind)
    const plugins = Object.fromEntries(off.map((name) => [name, { enabled: false }]))
    writeFileSync(join(home, 'config.json'), JSON.stringify({ ...config, plugins }))
    // Without an active model the agent, and so its channels, would not run.
    const model = `my-${providerKinds.find(isOn)}:m`
    await server.db
      .collection<{ _id: string }>('model_settings')
      .updateOne({ _id: 'active' }, { $set: { model } })
    await server.restart()

    for (const [path, kinds] of [
      ['/channels/kinds', channelKinds],
      ['/providers/kinds', providerKinds],
    ] as const) {
      const { body } = await server.request('GET', path)
      t.strictSame(body.map(({ kind }: { kind: string }) => kind).sort(), kinds.filter(isOn), path)
    }
    const { body: models } = await server.request('GET', '/models?limit=200')
    const usable = models.map(({ provider }: { provider: string }) => provider)
    for (const kind of providerKinds) t.equal(usable.includes(`my-${kind}`), isOn(kind), `models of ${kind}`)
    const { body: metrics } = await server.request('GET', '/metrics')
    const { stdout } = await runCommand(home, ['plugins', '--json'])
    const listed: { name: string; status: string; extends: object[] }[] = JSON.parse(stdout)
    for (const kind of [...channelKinds, ...providerKinds])
      t.match(
        listed.find(({ name }) => name === kind),
        isOn(kind) ? { status: 'ok', extends: [{}] } : { status: 'off', error: 'switched off', extends: [] },
        kind,
      )

    const { body: channels } = await server.request('GET', channelsPath)
    t.same(channels.map(({ kind }: { kind: string }) => kind).sort(), channelKinds, 'all channels are kept')
    for (const { id, kind } of channels) {
      const channelPath = `${channelsPath}/${id}`
      t.equal(metrics.includes(`svc_channels{kind="${kind}",`), isOn(kind), `metrics of ${kind}`)
      const reason = isOn(kind) ? 'missing_field' : 'unsupported'
      const { runtime } = await eventually(`${kind} is ${reason}`, async () => {
        const { body } = await server.request('GET', channelPath)
        return body.runtime.reason === reason && body
      })
      if (isOn(kind)) continue
      const message = `The channel kind “${kind}” is disabled or not installed on this server.`
      t.match(runtime, { state: 'failed', error: message })
      const refusal = { status: 400, body: { error: { code: 'CHANNEL_KIND_UNSUPPORTED', message } } }
      for (const [method, path, body] of [
        ['POST', channelsPath, { kind, name: 'another' }],
        ['POST', `${channelsPath}/probe`, { kind }],
        ['POST', `${channelPath}/test`, {}],
        ['PATCH', channelPath, { config: {} }],
      ] as const)
        t.match(await server.request(method, path, { body }), refusal, `${method} ${path}`)
      t.equal((await server.request('PATCH', channelPath, { body: { name: `${kind} 2` } })).status, 200)
    }

    const { body: providers } = await server.request('GET', '/admin/providers?limit=200')
    for (const kind of providerKinds.filter((name) => !isOn(name))) {
      const provider = providers.find(({ name }: { name: string }) => name === `my-${kind}`)
      t.match(provider, { kind, enabled: true }, 'providers are kept')
      const message = `The provider kind “${kind}” is disabled or not installed on this server.`
      const refusal = { status: 400, body: { error: { code: 'PROVIDER_KIND_UNSUPPORTED', message } } }
      for (const [path, body] of [
        ['/admin/providers', { ...toProvider(kind), name: 'another' }],
        ['/admin/providers/probe', toProvider(kind)],
        [`/admin/providers/${provider.id}/test`, {}],
      ] as const)
        t.match(await server.request('POST', path, { body }), refusal, path)
      const changed = await server.request('PATCH', `/admin/providers/${provider.id}`, {
        body: { max_concurrency: 3 },
      })
      t.match(changed, { status: 200, body: { kind, max_concurrency: 3 } })
      const choice = { body: { model: `my-${kind}:m` } }
      t.equal((await server.request('PUT', '/models/active', choice)).body.error.code, 'PROVIDER_NOT_VISIBLE')
    }
    t.notMatch(server.logged(), /"level":50/, 'nothing failed')
  }
})

t.test('a first start without the kind of demonstrations has no active model', async (t) => {
  const config = { plugins: { demo: { enabled: false } } }
  const server = await startServer(t, { config })
  t.match(await server.request('GET', '/models/active'), { status: 200, body: { model: null } })
  t.match(await server.request('GET', '/admin/providers'), { status: 200, body: [] })
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
