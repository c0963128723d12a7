import { setTimeout as pause } from 'node:timers/promises'
import type { Engine } from '#engine'
import { type Clock, systemClock } from '../clock.ts'
import type { Manifests } from '../contract/additions.ts'
import type { CradleOf, SomeCradle } from '../contract/cradle.ts'
import { createEventBus } from '../contract/events.ts'
import { createExtensions, namedExtensions } from '../contract/extensions.ts'
import { findCulprit } from '../contract/isolation.ts'
import type { Announce } from '../contract/plugin.ts'
import { createExpiryJob } from '../database/expiry.ts'
import { ensureIndexes } from '../database/indexes.ts'
import type { LeaseDocument } from '../database/lease.ts'
import { migrateData, WHOLE } from '../database/migrations.ts'
import { ownCollections } from '../database/own-collections.ts'
import { ConfigError } from '../errors.ts'
import { loadKoaBody } from '../http/body.ts'
import { createErrorDescriber, createErrorExplainer } from '../http/error-reply.ts'
import { loadUndici } from '../http/streaming-request.ts'
import { createIds } from '../ids.ts'
import { type Blueprint, extensionsOf, foreignFolders } from '../loading/blueprint.ts'
import type { PlannedPlugin } from '../loading/consistency.ts'
import { BUILT_IN } from '../loading/package.ts'
import { isRequired, SWITCHED_OFF } from '../loading/selection.ts'
import type { Logger } from '../log.ts'
import { deferKeyRing } from '../security/key-ring.ts'
import { createLimits, type UsageCounter } from '../security/limits.ts'
import { assertKeyKept, noteSealedFields } from '../security/sealed-fields.ts'
import { createSecrets } from '../security/secrets.ts'
import { createSocketDirectory } from '../socket/directory.ts'
import { createContainer } from './container.ts'
import { createHealth } from './health.ts'
import { startJobs } from './jobs.ts'
import { runStep, type Step } from './plugin-step.ts'
import { createServerFacts } from './server-facts.ts'
import { createStorage } from './storage.ts'

/** The running plugins, with their services and hooks, without a port. */
export type Runtime = Awaited<ReturnType<typeof openRuntime>>

/** The time that one plugin has for one step, in milliseconds. */
const STEP_LIMIT_MS = { start: 10_000, stop: 12_000 }

/** Opens the database, unless `database` is false, and connects the plugins; none of their functions runs until `start`. */
export async function openRuntime({
  blueprint,
  log,
  clock = systemClock,
  database: usesDatabase = true,
  opening,
  stepLimitMs = STEP_LIMIT_MS,
  onRestart,
}: {
  blueprint: Blueprint
  log: Logger
  clock?: Clock
  database?: boolean
  /** The engine of this home if it is being opened already. */
  opening?: Promise<Engine>
  stepLimitMs?: { start: number; stop: number }
  /** Called when a plugin asks for a restart; missing if the process cannot restart. */
  onRestart?: () => void
}) {
  const { home, config } = blueprint
  const events = createEventBus({ names: blueprint.events, log })
  const sockets = createSocketDirectory()
  /** Plugins and folders that failed to load or to start, and plugins that need them, with the reason. */
  const failed = new Map<string, string>(
    blueprint.absent.flatMap(({ name, reason, failed }) => (failed ? [[name, reason] as const] : [])),
  )
  /** The number of uncaught errors of each third-party plugin, by name. */
  const faults = new Map<string, number>()
  const extensions = namedExtensions(extensionsOf(blueprint, { failed, cradleOf: (name) => cradleOf(name) }))
  const permissionCatalog = createExtensions(
    blueprint.plugins.flatMap(({ plugin: { name: owner, permissions = [] } }) =>
      permissions.map((entry) => ({ entry, owner })),
    ),
    { nameOf: ({ key }) => key, failed },
  )
  const keyRing = deferKeyRing(home)
  const secrets = createSecrets(keyRing)
  const open = async (url: string | undefined) => {
    const { openDatabase } = await import('../database/database.ts')
    return openDatabase({ url, home, log, opening })
  }
  // Opened last, because nothing after it may fail without closing it.
  const database = usesDatabase ? await open(config.values.database.url) : undefined
  const storage = createStorage({ home, settings: config.values.disk, log })
  const facts = createServerFacts({ blueprint, failed, clock, storage, health: () => examine(), onRestart })
  const limits = createLimits({
    settings: config.values.limits,
    counters: new Map([
      ['sockets', (account_id): number => sockets.countOf(account_id)],
      ...blueprint.plugins.flatMap(({ plugin: { name: owner }, declarations }) =>
        [...declarations.limits].map(([name, count]): [typeof name, UsageCounter] => [
          name,
          (account_id) => count(cradleOf(owner), account_id),
        ]),
      ),
    ]),
  })
  const shared = {
    clock,
    ids: createIds(),
    secrets,
    events,
    extensions,
    permissionCatalog,
    sockets,
    limits,
    explainError: createErrorExplainer(blueprint.errors, log),
    describeError: createErrorDescriber(blueprint.errors),
    server: facts,
  }
  /** The blueprint with the plugins that run, for the built-in plugin that describes it. */
  const runningBlueprint = (): Blueprint => ({ ...blueprint, plugins: runtime.plugins })
  const byName = new Map(blueprint.plugins.map((planned) => [planned.plugin.name, planned]))

  const container = createContainer({
    services: blueprint.plugins.flatMap(({ plugin, declarations }) =>
      [...declarations.services].map(([name, factory]) => ({
        name,
        owner: plugin.name,
        isProvided: declarations.provided.has(name),
        factory,
      })),
    ),
    dependsOn: (name) => byName.get(name)?.plugin.depends ?? [],
    kernelServices: (name) => ({
      ...shared,
      config: config.values.plugins[name],
      log: log.child({ plugin: name }),
      ...(byName.get(name)!.source === BUILT_IN && { blueprint: runningBlueprint }),
      collections: ownCollections(name, byName.get(name)!.declarations.collections, database),
    }),
  })

  function cradleOf<Name extends keyof Manifests>(plugin: Name): CradleOf<Name>
  function cradleOf(plugin: string): SomeCradle
  function cradleOf(plugin: string) {
    return container.cradleOf(plugin)
  }

  const runtime = {
    blueprint,
    database,
    /** Plugins that run, in order of start. */
    plugins: blueprint.plugins,
    failed,
    faults,
    /** Milliseconds that each plugin's start took. */
    startTimes: new Map<string, number>(),
    extensions,
    permissionCatalog,
    events,
    sockets,
    limits,
    storage,
    clock,
    log,
    facts,
    cradleOf,
    takeFault,
    prepare,
    start,
    ready,
    warm,
    stop,
  }
  const examine = createHealth(runtime)
  const folders = foreignFolders(blueprint)
  /** Logs and counts an uncaught error of a third-party plugin; returns false if the error is our own. */
  function takeFault(error: unknown, plugin = findCulprit(error, folders)): boolean {
    if (plugin === undefined) return false
    faults.set(plugin, (faults.get(plugin) ?? 0) + 1)
    log.error({ error, plugin }, 'a plugin did not catch an error')
    return true
  }

  for (const { name, declarations } of blueprint.plugins) declarations.bind(cradleOf(name))

  let jobs: { stop(): Promise<void> } | undefined
  let isStopping = false
  const started: PlannedPlugin[] = []
  const unstarted = new Set<PlannedPlugin>()

  const collections = blueprint.plugins.flatMap(({ declarations }) => [...declarations.collections])

  /** Migrates the data, creates indexes and connects the plugins' listeners: enough for a command. */
  async function prepare(): Promise<void> {
    const parts = blueprint.plugins.map(({ name, declarations: { migrations, collections } }) => ({
      name,
      migrations,
      collections: [...collections.keys()],
      cradle: cradleOf(name),
    }))
    await migrateData(database!.db, { parts: [WHOLE, ...parts], holder: facts.node_id, clock, log })
    await Promise.all([ensureIndexes(database!.db, collections), noteSealedFields(database!.db, collections)])
    for (const { plugin, declarations } of blueprint.plugins)
      for (const { event, listener } of declarations.listeners)
        events.on(event, plugin.name, async (payload) => {
          if (!runtime.failed.has(plugin.name)) await listener(payload as never, cradleOf(plugin.name))
        })
  }

  /** Prepares, and starts every plugin in order. */
  async function start(): Promise<void> {
    for (const sentence of config.strayVariables) log.warn(sentence)
    for (const [plugin, reason] of failed) log.error({ plugin, reason }, 'a plugin is left out')
    for (const { name: plugin, reason, failed } of blueprint.absent)
      if (!failed && reason !== SWITCHED_OFF) log.warn({ plugin, reason }, 'a plugin is left out')
    await assertKeyKept(home, database!.db)
    keyRing.keys()
    await prepare()
    for (const planned of blueprint.plugins) {
      if (!admits(planned)) continue
      const startedAt = performance.now()
      started.push(planned)
      await take(planned, 'start')
      runtime.startTimes.set(planned.name, Math.round((performance.now() - startedAt) * 10) / 10)
    }
    runtime.plugins = blueprint.plugins.filter(({ plugin }) => !runtime.failed.has(plugin.name))
  }

  function leaveOut(plugin: string, reason: string, error?: Error) {
    failed.set(plugin, reason)
    log.error({ error, plugin, reason }, 'a plugin is left out')
  }

  /** False for a plugin that needs one which failed: it is left out, unless it is required. */
  function admits(planned: PlannedPlugin): boolean {
    const missing = planned.depends.find((dependency) => failed.has(dependency))
    if (missing === undefined) return true
    const reason = `needs ${missing}, which failed`
    if (isRequired(config, planned)) throw new ConfigError(`plugin "${planned.name}" ${reason}`)
    leaveOut(planned.name, reason)
    return false
  }

  /** Has a plugin take a step; one that fails is left out, unless it is required. */
  async function take(planned: PlannedPlugin, name: 'start' | 'ready', announce?: Announce) {
    try {
      await step(planned, name, announce)
    } catch (error) {
      if (name === 'start') unstarted.add(planned)
      if (isRequired(config, planned)) throw error
      leaveOut(planned.name, (error as Error).message, error as Error)
    }
  }

  /** Runs the hook `ready` of every plugin, and starts the jobs. */
  async function ready(announce: Announce): Promise<void> {
    for (const planned of runtime.plugins) if (admits(planned)) await take(planned, 'ready', announce)
    runtime.plugins = runtime.plugins.filter(({ name }) => !failed.has(name))
    storage.watch()
    const own = database!.isEmbedded ? [createExpiryJob(database!.db, collections, clock)] : []
    jobs = startJobs({
      jobs: [
        ...own.map((job) => ({ job, cradle: {} })),
        ...runtime.plugins.flatMap(({ plugin, declarations }) =>
          declarations.jobs.map((job) => ({ job, cradle: cradleOf(plugin.name) })),
        ),
      ],
      leases: database!.db.collection<LeaseDocument>('leases'),
      holder: facts.node_id,
      clock,
      log,
    })
  }

  /** Runs the hook `warm` of every plugin, with a pause after each, as long as the server runs. */
  async function warm(pauseMs: number): Promise<void> {
    await Promise.all([loadUndici(), loadKoaBody()])
    for (const { plugin, name } of runtime.plugins) {
      if (isStopping || !plugin.warm) continue
      try {
        await plugin.warm(cradleOf(name) as never)
      } catch (error) {
        // The first use meets it again, and reports it.
        log.debug({ error, plugin: name }, 'a plugin could not prepare its first use')
      }
      await pause(pauseMs, undefined, { ref: false })
    }
  }

  /** Stops jobs and plugins, in reverse order, runs `beforeClosing` and closes the database. */
  async function stop(beforeClosing?: () => Promise<void>): Promise<void> {
    isStopping = true
    storage.stop()
    try {
      await stopPart('the jobs', async () => jobs?.stop())
      // A plugin that failed to start often fails to stop for the same reason, which is logged already.
      for (const planned of started.reverse())
        await stopPart(
          `plugin "${planned.name}"`,
          () => step(planned, 'stop'),
          unstarted.has(planned) ? 'debug' : 'error',
        )
      await beforeClosing?.()
    } finally {
      await database?.close()
    }
  }

  /** One failing stop must not block the others. */
  async function stopPart(part: string, act: () => Promise<void>, level: 'error' | 'debug' = 'error') {
    try {
      await act()
    } catch (error) {
      log[level]({ error }, `${part} failed to stop`)
    }
  }

  const step = ({ plugin, name }: PlannedPlugin, hook: Step, announce?: Announce) =>
    runStep(plugin, hook, {
      cradle: cradleOf(name),
      announce,
      limitMs: stepLimitMs[hook === 'stop' ? 'stop' : 'start'],
    })

  return runtime
}
