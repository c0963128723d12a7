import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Connection, openConnection } from './connections/connection.ts'
import { type ConnectorFailure, toFailure } from './connections/failure.ts'
import { hideSecrets } from './connections/server-words.ts'
import { MissingCredentials, toMissing } from './credentials/challenge.ts'
import type { AccountTarget } from './credentials/targets.ts'
import type { Cradle } from './manifest.ts'
import { MAX_TOOLS, type ToolListing, toStoredTools } from './tools/listing.ts'
import type { ConnectorDocument, Greeting, StoredTool, Viewer } from './types.ts'
import { mayChange } from './visibility.ts'

/** The most tools that are left out by name. */
const MAX_NAMED = 5

/** The result of a test. */
export type ProbeResult =
  | ({ ok: true } & ToolListing)
  | { ok: false; reason: ConnectorFailure['reason']; detail: string }

/** Asks servers which tools they have. */
export type Checks = ReturnType<typeof createChecks>

/** Creates the service that opens connections and lists tools. */
export function createChecks(cradle: Cradle) {
  const { breaker, collections, clock, config, connectorFetch, credentials, events } = cradle
  const { log, processes, server, targets } = cradle
  const { connectors } = collections

  const open = (
    connector: Pick<ConnectorDocument, '_id' | 'is_trusted' | 'greeting' | 'revision'>,
    { target, auth }: AccountTarget,
    { user_id, onToolsChanged = () => undefined }: { user_id: string; onToolsChanged?: () => void },
  ): Promise<Connection> => {
    const { _id, greeting, revision } = connector
    let form = greeting?.revision === revision ? greeting.form : undefined
    const onGreeting = (worked: Greeting | undefined) => {
      if (worked === form) return
      form = worked
      keepGreeting({ _id, revision }, form)
    }
    let said = ''
    const onLog = (text: string) => {
      if (said === '') setTimeout(() => keepLog(connector._id, said), 1000).unref()
      said = redact(text, { target, auth })
    }
    return openConnection(target, {
      auth,
      fetch: connector.is_trusted ? fetch : connectorFetch.fetch,
      home: join(server.home, 'connectors', connector._id, user_id),
      processes,
      version: server.version,
      connect_seconds: config.connect_seconds,
      call_seconds: target.call_seconds ?? config.call_seconds,
      max_call_seconds: config.max_call_seconds,
      greeting: form,
      onGreeting,
      onLog,
      redact: (text) => redact(text, { target, auth }),
      onToolsChanged,
    })
  }

  const keepLog = (_id: string, text: string) => {
    connectors
      .updateOne({ _id }, { $set: { log: text } })
      .catch((error) => log.debug({ error }, 'a log was not kept'))
  }

  /** Remembers the greeting that works, so that no later connection tries others in vain. */
  const keepGreeting = (
    { _id, revision }: Pick<ConnectorDocument, '_id' | 'revision'>,
    form: Greeting | undefined,
  ) => {
    const update = form ? { $set: { greeting: { form, revision } } } : { $unset: { greeting: true as const } }
    connectors
      .updateOne({ _id, revision }, update)
      .catch((error) => log.debug({ error }, 'the greeting of a server was not kept'))
  }

  const noteChange = ({ _id: connector_id, owner_id, grants }: ConnectorDocument) =>
    events.emit('connector.changed', { connector_id, owner_id, ...(grants && { grants }) })

  /** Stores the tools of a connector if it has this revision; its first tools count as seen. */
  const store = async (connector: ConnectorDocument, { tools, left_out }: ToolListing) => {
    const { _id, revision } = connector
    const tools_stamp = stampOf(tools)
    const stored = await connectors.findOne({ _id, revision }, { projection: { tools: 0 } })
    if (!stored) return
    const isFirst = stored.tools_stamp === ''
    const $set = {
      status: 'ready' as const,
      reason: null,
      error: describeLeftOut(left_out),
      checked_at: clock.seconds(),
      tools,
      tools_stamp,
      ...(isFirst && { seen: tools.map(({ name, fingerprint }) => ({ name, fingerprint })) }),
    }
    await connectors.updateOne({ _id, revision }, { $set })
    await noteChange(connector)
  }

  const fail = async (connector: ConnectorDocument, failure: ConnectorFailure) => {
    const { _id, revision } = connector
    const status = failure.reason === 'unauthorized' ? ('unauthorized' as const) : ('failed' as const)
    const challenge = failure instanceof MissingCredentials && failure.challenge
    const $set = {
      status,
      reason: failure.reason,
      error: failure.message,
      checked_at: clock.seconds(),
      ...(challenge && { challenge: { ...challenge, revision } }),
    }
    await connectors.updateOne({ _id, revision }, { $set })
    await noteChange(connector)
  }

  const list = async (connection: Connection, signal = new AbortController().signal): Promise<ToolListing> =>
    toStoredTools(await connection.listTools(MAX_TOOLS, signal))

  const attempt = async (
    connector: ConnectorDocument,
    user_id: string,
    finish: (listing: ToolListing) => Promise<unknown>,
    refuse: (failure: ConnectorFailure) => Promise<unknown>,
  ): Promise<ProbeResult> => {
    try {
      const connection = await open(connector, await targets.of(connector, user_id), { user_id })
      try {
        const listing = await list(connection)
        await finish(listing)
        return { ok: true, ...listing }
      } finally {
        await connection.close()
      }
    } catch (error) {
      const key = { connector_id: connector._id, user_id }
      const failure = await toMissing(toFailure(error), key, credentials)
      await refuse(failure)
      return { ok: false, reason: failure.reason, detail: failure.message }
    }
  }

  return {
    open,

    /** Tests a connector that need not be stored. */
    probe: (connector: ConnectorDocument, { id }: Viewer): Promise<ProbeResult> =>
      attempt(
        connector,
        id,
        async () => undefined,
        async () => undefined,
      ),

    /**
     * Tests a connector with a connection of its own, and stores its tools or why it failed. A server that answers is
     * asked by turns again at once.
     */
    check: (connector: ConnectorDocument, { id }: Viewer): Promise<ProbeResult> =>
      attempt(
        connector,
        id,
        (listing) => {
          breaker.forget(`${connector._id}:`)
          return store(connector, listing)
        },
        (failure) => fail(connector, failure),
      ),

    /** Stores the tools that an open connection of an account lists now, if that account decides about them. */
    async refresh(connector: ConnectorDocument, viewer: Viewer, connection: Connection): Promise<void> {
      const isFirst = connector.scope === 'global' && !connector.tools_stamp
      if (!isFirst && !mayChange(connector, viewer)) return
      const listing = await list(connection, connection.closed)
      const isNew =
        stampOf(listing.tools) !== connector.tools_stamp ||
        connector.status !== 'ready' ||
        connector.error !== describeLeftOut(listing.left_out)
      if (isNew) await store(connector, listing)
    },
  }
}

/** Describes the tools that are left out, the first few by name; null if none is. */
function describeLeftOut(left_out: readonly string[]): string | null {
  const more = left_out.length - MAX_NAMED
  return (
    [...left_out.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more are left out.`] : [])].join(' ') || null
  )
}

const stampOf = (tools: readonly Pick<StoredTool, 'name' | 'fingerprint'>[]) =>
  createHash('sha256')
    .update(JSON.stringify(tools.map(({ name, fingerprint }) => [name, fingerprint])))
    .digest('base64url')
    .slice(0, 22)

/** Masks the secrets of a target, and the tokens that are sent to it, in words of its server. */
function redact(text: string, { target, auth }: Pick<AccountTarget, 'target' | 'auth'>): string {
  const secrets = Object.values((target.transport === 'http' ? target.headers : target.env) ?? {})
  const parts = secrets.flatMap((secret) => [secret, secret.replace(/^\S+ /, '')])
  return hideSecrets(text, [...parts, ...(auth?.secrets() ?? [])])
}
