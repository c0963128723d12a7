import type { Progress } from '@modelcontextprotocol/client'
import { createKeyedSemaphore, type ToolContext } from '#plugin-api'
import type { Connection } from '../connections/connection.ts'
import { ConnectorFailure, SessionLost } from '../connections/failure.ts'
import { HttpRefusal } from '../connections/refusal.ts'
import { MissingCredentials, toMissing } from '../credentials/challenge.ts'
import type { AccountTarget } from '../credentials/targets.ts'
import type { Cradle } from '../manifest.ts'
import type { ConnectorDocument, StoredTool } from '../types.ts'
import { elicit } from './elicitation.ts'
import { readResult } from './result.ts'

/** The most calls that an account has with one server at a time. */
const MAX_PARALLEL = 8
/** The most notes about the progress of a call, and of each the most characters. */
const MAX_NOTES = 200
const MAX_NOTE_CHARS = 500

/** Failures after which the next call needs a new connection. */
const BROKEN = new Set(['unreachable', 'program', 'unauthorized'])

/** Calls tools of servers for agents. */
export type Calls = ReturnType<typeof createCalls>

/** Creates the service. */
export function createCalls(cradle: Cradle) {
  const { breaker, checks, collections, connectionPool, credentialAudiences, credentials, extensions } =
    cradle
  const { log, server, signIns, targets, users } = cradle
  const { connectors } = collections
  const permits = createKeyedSemaphore()

  /**
   * Runs work with the connection of an account, which is opened if it is needed. Work that fails with its connection
   * is repeated once if the server did not begin it, or if the tool is safe to repeat.
   */
  const withConnection = async <Value>(
    connector: ConnectorDocument,
    { user_id, isRepeatableTool }: { user_id: string; isRepeatableTool: boolean },
    work: (connection: Connection) => Promise<Value>,
  ): Promise<Value> => {
    const account: AccountTarget = await targets.of(connector, user_id)
    const key = `${connector._id}:${user_id}`
    const refresh = async () => {
      const [current, user] = await Promise.all([
        connectors.findOne({ _id: connector._id }),
        users.find(user_id),
      ])
      if (current && user)
        await connectionPool.use({ key, stamp: account.stamp }, open, (connection) =>
          checks.refresh(current, { id: user_id, role: user.role, groups: user.group_ids }, connection),
        )
    }
    const refreshSoon = () =>
      void refresh().catch((error) =>
        log.debug({ error, connector: connector._id }, 'tools could not be listed'),
      )
    const open = async () => {
      const connection = await checks.open(connector, account, { user_id, onToolsChanged: refreshSoon })
      setImmediate(refreshSoon)
      return connection
    }
    const workOnce = (isRepeated: boolean) =>
      connectionPool.use({ key, stamp: account.stamp }, open, async (connection, retire) => {
        try {
          return await work(connection)
        } catch (thrown) {
          const error = await explainFailure(thrown, connection)
          // A repeated call has a new session, which the server knows.
          if (isBroken(error) || (error instanceof SessionLost && !isRepeated)) retire()
          throw error
        }
      })
    const isProgram = account.target.transport === 'stdio'
    return breaker.run(key, () =>
      workOnce(false).catch((error) => {
        if (!isRepeatable(error, isRepeatableTool && !isProgram)) throw error
        return workOnce(true)
      }),
    )
  }

  const attempt = async (
    connector: ConnectorDocument,
    tool: StoredTool,
    args: Record<string, unknown>,
    context: ToolContext,
  ): Promise<string> => {
    const { name } = connector
    const { user_id } = context
    const caller = { user_id, isRepeatableTool: tool.read_only || tool.idempotent === true }
    const key = `${connector._id}:${user_id}`
    const release = await permits.acquire(key, { perKey: MAX_PARALLEL }, context.signal)
    try {
      const result = await withConnection(connector, caller, (connection) =>
        connection.call(
          { name: tool.name, args },
          {
            signal: context.signal,
            thread_id: context.thread_id,
            onProgress: createNotes(context),
            elicit: (params) => elicit(params, name, context),
          },
        ),
      )
      return await readResult(
        result,
        { connector: name, tool: tool.call_name, context },
        { extensions, server },
      )
    } finally {
      release()
    }
  }

  return {
    /** Calls a tool with the credentials of the account that talks. Throws a sentence for the model. */
    async call(
      connector_id: string,
      tool: StoredTool,
      args: Record<string, unknown>,
      context: ToolContext,
    ): Promise<string> {
      for (;;) {
        const connector = await connectors.findOne(
          { _id: connector_id },
          { projection: { tools: 0, log: 0 } },
        )
        if (!connector) throw new Error('The connector does not exist any more.')
        try {
          return await attempt(connector as ConnectorDocument, tool, args, context)
        } catch (thrown) {
          context.signal.throwIfAborted()
          if (!(thrown instanceof ConnectorFailure)) throw thrown
          const key = { connector_id, user_id: context.user_id }
          const error = await toMissing(thrown, key, credentials)
          if (!(error instanceof MissingCredentials))
            throw new Error(explain(connector.name, error), { cause: error })
          const { name } = connector
          const origin = credentialAudiences.of(connector as ConnectorDocument)?.origin
          const entry = { connector_id, name, ...(origin !== undefined && { origin }) }
          if (error.fields) await context.requestAuthorization({ ...entry, fields: error.fields })
          else {
            const options = { isOfTurn: true, challenge: error.challenge }
            const { authorization_url } = await signIns.begin(
              connector as ConnectorDocument,
              context.user_id,
              options,
            )
            await context.requestAuthorization({ ...entry, authorization_url })
          }
        }
      }
    },
  }
}

/** Returns a failure with what the server lets know about it when it is asked again. */
async function explainFailure(error: unknown, connection: Connection): Promise<unknown> {
  if (!(error instanceof ConnectorFailure)) return error
  const { reason, message } = error
  // The protocol has cancelled the call of a server that is only slow. One that hangs is replaced.
  if (reason === 'timeout' && (await connection.isAnswering()))
    return new ConnectorFailure(reason, message, { cause: error, isOutage: false })
  // Some servers refuse an unknown session with these statuses, and others an argument.
  const isUnclear = error instanceof HttpRefusal && (error.status === 400 || error.status === 422)
  if (isUnclear && !(await connection.isAnswering())) return new SessionLost(message, { cause: error })
  return error
}

/** True if no later call should use the connection; other calls that use it go on. */
const isBroken = (error: unknown): boolean =>
  error instanceof ConnectorFailure &&
  (BROKEN.has(error.reason) || (error.reason === 'timeout' && error.isOutage))

/** True if a call may be sent once more. */
const isRepeatable = (error: unknown, isRepeatableTool: boolean): boolean =>
  error instanceof ConnectorFailure &&
  (error.isUnsent || (error.reason === 'unreachable' && isRepeatableTool))

const explain = (name: string, { reason, message }: ConnectorFailure) =>
  `The connector "${name}" failed (${reason.replaceAll('_', ' ')}): ${message}`

/** Returns a function that shows the progress of a call to the reader of the turn. */
function createNotes({ progress, signal }: ToolContext): (progress: Progress) => void {
  let notes = 0
  return ({ progress: done, total, message }) => {
    notes += 1
    if (signal.aborted || notes > MAX_NOTES) return
    const share = total === undefined ? String(done) : `${done}/${total}`
    progress(`${(message ?? share).slice(0, MAX_NOTE_CHARS)}\n`)
  }
}
