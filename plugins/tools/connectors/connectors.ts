import { isDeepStrictEqual } from 'node:util'
import type { Filter, IndexDescription } from 'mongodb'
import {
  AppError,
  type Conditional,
  findPage,
  isDuplicateKey,
  isGrantedTo,
  mergePatch,
  type Page,
  type PageRequest,
  requireUnchanged,
  showManaged,
  type TypeOf,
} from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import { type Audiences, destinationOf } from './credentials/audiences.ts'
import type { KnownKind } from './kinds/kinds.ts'
import type { Cradle } from './manifest.ts'
import type { connectorChanges, connectorRow, newConnector, probeRequest } from './schemas.ts'
import type { ConnectorDocument, Viewer } from './types.ts'
import { globalFor, isOwner, mayChange, visibleTo } from './visibility.ts'

/** The indexes for names and lists. */
export const connectorIndexes: IndexDescription[] = [
  { key: { owner_id: 1, name: 1 }, unique: true },
  { key: { 'grants.to': 1, name: 1 } },
]

/** The fields that the entity tag of a connector is made from. */
export const connectorFields = ['name', 'config', 'secret_config', 'is_default', 'seen'] as const

/** The account that makes or changes a connector. */
type Maker = Pick<AuthCaller, 'id' | 'username' | 'role' | 'groups'>

/** A connector as the API shows it. */
export type ConnectorRow = TypeOf<typeof connectorRow>

/** The store of connectors. */
export type Connectors = ReturnType<typeof createConnectors>

/** Creates the store. */
export function createConnectors(cradle: Cradle) {
  const {
    accessLosses,
    agentConnectors,
    collections,
    clock,
    connectorConfigs,
    connectorKinds,
    connectionPool,
    credentialAudiences,
    credentials,
  } = cradle
  const { events, connectorFetch, ids, limits, revocation, signIns } = cradle
  const { connectors } = collections

  const noteChange = (former: ConnectorDocument, current = former) => {
    const { _id: connector_id, owner_id } = former
    // A global connector is everybody's as long as it has no list.
    const isOpen = owner_id === null && !(former.grants && current.grants)
    const grants = [...(former.grants ?? []), ...(current.grants ?? [])]
    return events.emit('connector.changed', { connector_id, owner_id, ...(!isOpen && { grants }) })
  }

  const findOne = async (filter: Filter<ConnectorDocument>): Promise<ConnectorDocument> => {
    const connector = await connectors.findOne(filter)
    if (!connector) throw new AppError('NOT_FOUND')
    return connector
  }

  const find = (viewer: Viewer, _id: string) => findOne({ _id, ...visibleTo(viewer) })

  /** Throws NOT_FOUND, and FORBIDDEN if the account may only use the connector. */
  const findEditable = async (maker: Viewer, _id: string): Promise<ConnectorDocument> => {
    const connector = await find(maker, _id)
    if (!mayChange(connector, maker)) throw new AppError('FORBIDDEN')
    return connector
  }

  const assertNameFree = async (name: string, owner_id: string | null) => {
    if (owner_id !== null && (await connectors.countDocuments({ name, owner_id: null })) > 0)
      throw new AppError('CONNECTOR_NAME_TAKEN', { name })
  }

  const save = async <Saved>(name: string, saving: Promise<Saved>): Promise<Saved> => {
    try {
      return await saving
    } catch (error) {
      if (isDuplicateKey(error)) throw new AppError('CONNECTOR_NAME_TAKEN', { name })
      throw error
    }
  }

  /**
   * Returns true if an administrator has chosen an address that others may not choose. Throws VALIDATION_FAILED,
   * ADDRESS_NOT_ALLOWED, and FORBIDDEN for a kind that only administrators define.
   */
  const assertUsable = async (
    kind: KnownKind,
    config: Record<string, unknown>,
    { role }: Maker,
  ): Promise<boolean> => {
    const isAdmin = role === 'admin'
    if (kind.admin_only && !isAdmin) throw new AppError('FORBIDDEN')
    kind.assertValid(config)
    if (!kind.addresses) return isAdmin
    try {
      for (const name of kind.addresses)
        if (typeof config[name] === 'string') await connectorFetch.assertAllowed(config[name])
      return false
    } catch (error) {
      if (isAdmin && error instanceof AppError) return true
      throw error
    }
  }

  /** Throws VALIDATION_FAILED for the secrets that a config keeps though it leads elsewhere than before. */
  const assertSecretsStay = (
    kind: KnownKind,
    {
      sent,
      config,
      stored,
    }: Record<'sent' | 'config', Record<string, unknown>> & { stored: ConnectorDocument },
  ) => {
    const isSame = stored.kind === kind.kind
    if (isSame && destinationOf(kind, config) === destinationOf(kind, connectorConfigs.open(stored))) return
    connectorConfigs.assertAllSent(sent, config, kind)
  }

  /** Forgets the credentials that accounts have entered for the place to which a connector has led before. */
  const removeOthers = async (old: ConnectorDocument, audiences: Audiences | undefined) => {
    await revocation.endAll(old)
    await credentials.removeOthers(old._id, audiences)
    await signIns.removeAllOf({ connector_id: old._id })
    await connectionPool.drop(`${old._id}:`)
  }

  const draft = async (
    { name, kind: kindName, config: sent = {}, scope, is_default = false }: TypeOf<typeof newConnector>,
    maker: Maker,
    stored?: ConnectorDocument,
  ): Promise<ConnectorDocument> => {
    if (scope === 'global' && maker.role !== 'admin') throw new AppError('FORBIDDEN')
    const kind = connectorKinds.get(kindName)
    const config = connectorConfigs.unmask(sent, kind, stored)
    const is_trusted = await assertUsable(kind, config, maker)
    if (stored) assertSecretsStay(kind, { sent, config, stored })
    const _id = ids.make('con_')
    const now = clock.seconds()
    const owner = scope === 'global' ? null : maker
    return {
      ...connectorConfigs.seal(_id, config, kind),
      name,
      kind: kindName,
      scope,
      owner_id: owner?.id ?? null,
      owner_username: owner?.username ?? null,
      is_default,
      is_trusted,
      status: 'connecting',
      reason: null,
      error: null,
      tools: [],
      seen: [],
      tools_stamp: '',
      checked_at: null,
      revision: 1,
      created_at: now,
      updated_at: now,
    }
  }

  const remove = async (connector: ConnectorDocument) => {
    const { _id: connector_id } = connector
    await connectors.deleteOne({ _id: connector_id })
    await connectionPool.drop(`${connector_id}:`)
    await revocation.endAll(connector)
    await credentials.removeAllOf({ connector_id })
    await signIns.removeAllOf({ connector_id })
    await agentConnectors.forget(connector_id)
    await noteChange(connector)
  }

  return {
    find,
    findEditable,

    /** Finds a connector that an account may use, and every connector for administrators. Throws NOT_FOUND. */
    findShareable: (viewer: Viewer, _id: string) =>
      viewer.role === 'admin' ? findOne({ _id }) : find(viewer, _id),

    /** Announces another list of grants; accounts that may no longer use the connector lose their credentials. */
    async noteGrants(former: ConnectorDocument, current: ConnectorDocument): Promise<void> {
      await noteChange(former, current)
      await accessLosses.ofConnector(current._id)
    },

    /**
     * Lists an account's own connectors, then those that others share with it, then the global ones, each by name. Throws
     * VALIDATION_FAILED for an unknown cursor.
     */
    list: (viewer: Viewer, page: PageRequest): Promise<Page<ConnectorDocument>> =>
      findPage(
        connectors,
        {
          parts: [
            { owner_id: viewer.id },
            { ...isGrantedTo(viewer), owner_id: { $nin: [viewer.id, null] } },
            globalFor(viewer),
          ],
          sort: { name: 1 },
          projection: { 'tools.input_schema': 0, log: 0 },
          bytesOf: (connector) => Buffer.byteLength(JSON.stringify(connector)),
        },
        page,
      ),

    async create(maker: Maker, body: TypeOf<typeof newConnector>): Promise<ConnectorDocument> {
      const connector = await draft(body, maker)
      await assertNameFree(body.name, connector.owner_id)
      const store = () => save(body.name, connectors.insertOne(connector))
      await (connector.owner_id === null ? store() : limits.within('connectors', maker.id, store))
      await noteChange(connector)
      return connector
    },

    /** Returns a connector that is not stored, with the same checks. */
    async draft(maker: Maker, { kind, config, connector_id }: TypeOf<typeof probeRequest>) {
      const stored = connector_id === undefined ? undefined : await findEditable(maker, connector_id)
      const trial = await draft({ name: 'draft', kind, config, scope: 'user' }, maker, stored)
      // The secrets of a connector are sent for its owner only, also in a test.
      return stored && !isOwner(stored, maker) ? { ...trial, owner_id: stored.owner_id } : trial
    },

    /**
     * Throws the errors of `create`, NOT_FOUND, PRECONDITION_FAILED, and FORBIDDEN if the account may only use the
     * connector, or does not own it and changes `is_default`. `isNew` is true if the server must be asked
     * again.
     */
    async update(
      maker: Maker,
      id: string,
      { name, config: patch, is_default, tools = {} }: TypeOf<typeof connectorChanges>,
      request: Conditional,
    ): Promise<{ connector: ConnectorDocument; isNew: boolean }> {
      // Retried if another change came first: a mask refers to the secret that is stored now.
      for (;;) {
        const old = await findEditable(maker, id)
        if (is_default !== undefined && !isOwner(old, maker))
          throw new AppError('FORBIDDEN', { field: 'is_default' })
        const unchanged = requireUnchanged(request, old, connectorFields)
        if (name !== undefined && name !== old.name) await assertNameFree(name, old.owner_id)
        const kind = patch && connectorKinds.get(old.kind)
        const config =
          kind && mergePatch(connectorConfigs.open(old), connectorConfigs.unmask(patch, kind, old))
        const is_trusted = config && (await assertUsable(kind, config, maker))
        if (config) assertSecretsStay(kind, { sent: patch, config, stored: old })
        const sealed = config && connectorConfigs.seal(id, config, kind)
        const $set: Partial<ConnectorDocument> = {
          ...(name !== undefined && { name }),
          ...(is_default !== undefined && { is_default }),
          ...(sealed && {
            config: sealed.config,
            secret_config: sealed.secret_config,
            is_trusted: is_trusted === true,
            status: 'connecting',
            reason: null,
            error: null,
            tools: [],
            seen: [],
            tools_stamp: '',
          }),
          ...(!sealed && { seen: withSeen(old, Object.keys(tools)) }),
          updated_at: clock.seconds(),
        }
        const grants = old.grants ?? { $exists: false }
        const filter = { _id: id, revision: old.revision, seen: old.seen, grants, ...unchanged }
        const update = { $set, $inc: { revision: sealed ? 1 : 0 } }
        const changing = connectors.findOneAndUpdate(filter, update, { returnDocument: 'after' })
        const connector = await save(name ?? old.name, changing)
        if (!connector) continue
        const audiences = credentialAudiences.of(connector)
        if (!isDeepStrictEqual(audiences, credentialAudiences.of(old))) await removeOthers(old, audiences)
        await noteChange(connector)
        return { connector, isNew: sealed !== undefined }
      }
    },

    async remove(maker: Maker, id: string): Promise<{ name: string }> {
      const connector = await find(maker, id)
      if (!isOwner(connector, maker)) throw new AppError('FORBIDDEN')
      await remove(connector)
      return { name: connector.name }
    },

    async removeAllOf(user_id: string): Promise<void> {
      for (const connector of await connectors.find({ owner_id: user_id }).toArray()) await remove(connector)
      await revocation.endAllOf(user_id)
      await credentials.removeAllOf({ user_id })
      await signIns.removeAllOf({ user_id })
    },

    count: (owner_id: string) => connectors.countDocuments({ owner_id }),

    /** Returns connectors as an account sees them. */
    async show(shown: readonly ConnectorDocument[], viewer: Viewer): Promise<ConnectorRow[]> {
      const has = await credentials.listConnectors(viewer.id, shown)
      return shown.map((connector) => toRow(connector, viewer, has.has(connector._id)))
    },
  }

  /** Returns how accounts sign in: with headers if it has some, else as its kind says. */
  function authOf(connector: ConnectorDocument): ConnectorRow['auth'] {
    const kind = connectorKinds.find(connector.kind)
    if (kind?.auth !== 'oauth') return kind?.auth ?? 'none'
    const target = kind.target(connectorConfigs.open(connector))
    return target.transport === 'http' && Object.keys(target.headers ?? {}).length > 0 ? 'headers' : 'oauth'
  }

  function toRow(connector: ConnectorDocument, viewer: Viewer, has_credentials: boolean): ConnectorRow {
    const { _id: id, name, kind, scope, owner_username, is_default, status, error, checked_at } = connector
    const can_edit = mayChange(connector, viewer)
    const isSeen = new Set(connector.seen.map((tool) => `${tool.fingerprint} ${tool.name}`))
    return {
      id,
      name,
      kind,
      scope,
      owner: owner_username,
      is_owner: isOwner(connector, viewer),
      can_edit,
      config: can_edit ? connectorConfigs.mask(connector) : {},
      auth: authOf(connector),
      is_default,
      status,
      reason: connector.reason ?? null,
      error,
      has_credentials,
      tools: connector.tools.map((tool) => ({
        name: tool.name,
        title: tool.title,
        description: tool.description,
        read_only: tool.read_only,
        destructive: tool.destructive,
        seen: isSeen.has(`${tool.fingerprint} ${tool.name}`),
      })),
      checked_at,
      ...showManaged(connector),
      created_at: connector.created_at,
      updated_at: connector.updated_at,
    }
  }
}

/** Returns the tools that have been seen; the tools with these names count as seen in their present form. */
function withSeen(
  { seen: seenTools, tools }: ConnectorDocument,
  names: readonly string[],
): ConnectorDocument['seen'] {
  const now = tools.filter(({ name }) => names.includes(name))
  return [
    ...seenTools.filter(({ name }) => !now.some((tool) => tool.name === name)),
    ...now.map(({ name, fingerprint }) => ({ name, fingerprint })),
  ]
}
