import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as nodeTest } from 'node:test'
import type { Plugin } from '#kernel'
import { readBlueprint } from '#kernel/loading/blueprint'
import { type BenchSettings, configOf, startBench } from './agent-bench.ts'
import { watchResources } from './begun-resources.ts'
import { ADMIN, type RunningServer, type TestServer } from './server.ts'
import { declareTests, extendLimit, type TestContext, type TestFunction } from './test-function.ts'
import { eventually } from './waiting.ts'

/** A plugin, and tests of its own. */
export interface PluginSubject extends BenchSettings {
  plugin: Plugin
  /** Tests by their names, which run one after another on one server with the plugin and all that is built in. */
  cases?: Readonly<Record<string, (server: TestServer, t: TestContext) => Promise<void>>>
  /** Declares the tests: `test` of `node:test` unless another is given, e.g. `(name, run) => t.test(name, run)` of tap. */
  test?: TestFunction
}

/**
 * Tests a plugin on a real server: that it starts with nothing but what it depends on, that its routes are described in
 * the OpenAPI document, and that it leaves nothing behind when it is stopped or switched off. Plugins from outside that it
 * depends on are given as `plugins`.
 */
export function testPlugin({
  plugin,
  cases = {},
  test = nodeTest,
  plugins: others = [],
  config,
  databaseUrl,
}: PluginSubject): unknown {
  const { name, permissions = [] } = plugin
  const plugins = [...others, plugin]

  return declareTests(test, `plugin ${name}`, async (t, add) => {
    const settings = configOf({ plugins, config, database: await databaseUrl?.() })
    let bench: RunningServer | undefined
    t.after(() => bench?.close())

    /** Starts the server, on the home that it had, with these sections of plugins in its configuration. */
    const restart = async (sections: Record<string, object> = {}): Promise<RunningServer> => {
      const configured = merge(settings, sections)
      if (!bench) {
        bench = await startBench({ plugins, config: configured })
        return bench
      }
      writeFileSync(join(bench.home, 'config.json'), JSON.stringify(configured))
      await bench.restart()
      bench.admin.token = await bench.signIn(ADMIN.username)
      return bench
    }
    const off = { [name]: { enabled: false } }
    let alone: Record<string, object> = {}

    await add('it is loaded and starts with nothing but what it depends on', async () => {
      alone = sectionsWithout(await namesToSwitchOff(plugins))
      const server = await restart(alone)
      const { body: health } = await server.request('GET', '/health')
      assert.equal(
        health.plugins[name],
        'ok',
        `the state of the plugin, by /api/health: ${JSON.stringify(health)}`,
      )
      for (const { key } of permissions)
        assert.ok(server.server.runtime.permissionCatalog.get(key), `the permission ${key} can be granted`)
    })

    await add('its routes are described in the OpenAPI document', async () => {
      const server = await restart(alone)
      const described = await readOperations(server)
      for (const operation of operationsOf(server, name))
        assert.ok(described.has(operation), `${operation} is described`)
    })

    await add('stopped, it leaves nothing running', async () => {
      const server = await restart(alone)
      const resources = watchResources(name)
      try {
        await server.restart()
        await server.stop()
        await eventually(
          'the plugin ends all timers, connections and watchers that it began',
          () => resources.remaining().length === 0,
        )
      } finally {
        resources.stop()
      }
    })

    await add('switched off, it is gone', async () => {
      const server = await restart(alone)
      const operations = operationsOf(server, name)
      await restart({ ...alone, ...off })
      const { body: health } = await server.request('GET', '/health')
      assert.ok(!(name in health.plugins), '/api/health does not name it')
      const described = await readOperations(server)
      for (const operation of operations)
        assert.ok(!described.has(operation), `${operation} is not described`)
      for (const { key } of permissions)
        assert.equal(server.server.runtime.permissionCatalog.get(key), undefined, `the permission ${key}`)
    })

    if (Object.keys(cases).length === 0) return
    const server = await restart()
    for (const [title, run] of Object.entries(cases))
      await t.test(title, async (t) => {
        extendLimit(t)
        await run(server, t)
      })
  })
}

/** Returns the configuration with these sections of plugins put into it. */
function merge(config: Record<string, unknown>, sections: Record<string, object>): Record<string, unknown> {
  const own = config.plugins as Record<string, object>
  const merged = Object.entries(sections).map(([name, section]) => [name, { ...own[name], ...section }])
  return { ...config, plugins: { ...own, ...Object.fromEntries(merged) } }
}

const sectionsWithout = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { enabled: false }]))

/** Lists the plugins that these do not need, directly or not; signing in is needed by the tests. */
async function namesToSwitchOff(plugins: readonly Plugin[]): Promise<string[]> {
  const { plugins: builtInPlugins } = await readBlueprint({ home: tmpdir(), env: {} })
  const builtIn = new Map(builtInPlugins.map(({ plugin }) => [plugin.name, plugin]))
  const needed = new Set(['auth', ...plugins.flatMap(({ depends = [] }) => depends)])
  for (const name of needed) for (const next of builtIn.get(name)?.depends ?? []) needed.add(next)
  return [...builtIn.keys()].filter((name) => !needed.has(name))
}

/** Lists the operations of a running plugin as the OpenAPI document names them, e.g. `GET /notes/{id}`. */
function operationsOf({ server }: RunningServer, name: string): string[] {
  const { routes } = server.runtime.plugins.find(({ plugin }) => plugin.name === name)!.declarations
  return routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
}

async function readOperations(server: RunningServer): Promise<Set<string>> {
  const { body } = await server.request('GET', '/openapi.json')
  return new Set(
    Object.entries(body.paths as Record<string, object>).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    ),
  )
}
