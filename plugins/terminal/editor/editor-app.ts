import { type AgentApp, type AuthMethod, agent, methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk'
import type { EditorSessions } from './editor-sessions.ts'
import { toRequestError } from './request-errors.ts'

/** Makes the agent that an editor talks to. `ready` gives the sessions, or throws why there are none (yet). */
export const createEditorApp = ({
  title,
  version,
  advice,
  ready,
  note,
}: {
  /** The name of the agent, if it is known by the time that the editor asks. */
  title: string
  version: string
  /** What a user who is not logged in is told to do. */
  advice: string
  ready(): Promise<EditorSessions>
  note(text: string): void
}): AgentApp => {
  const authMethods: AuthMethod[] = [{ id: 'svc-chat', name: 'Log in with svc chat', description: advice }]
  let saidIgnored = false

  /** Runs a handler and throws what an editor understands. */
  const answering = async <Answer>(
    sessionId: string | undefined,
    run: (sessions: EditorSessions) => Promise<Answer> | Answer,
  ): Promise<Answer> => {
    try {
      return await run(await ready())
    } catch (error) {
      throw toRequestError(error, sessionId)
    }
  }

  const ignore = (mcpServers: readonly unknown[] = []) => {
    if (mcpServers.length === 0 || saidIgnored) return
    saidIgnored = true
    note('The MCP servers of the editor are ignored: the tools of the agent are those of the server.')
  }

  return agent({ name: 'svc' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'svc', title, version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      authMethods,
    }))
    .onRequest(methods.agent.authenticate, () => answering(undefined, () => ({})))
    .onRequest(methods.agent.session.new, ({ params, client }) =>
      answering(undefined, async (sessions) => {
        ignore(params.mcpServers)
        return { sessionId: await sessions.begin(client) }
      }),
    )
    .onRequest(methods.agent.session.load, ({ params, client }) =>
      answering(params.sessionId, async (sessions) => {
        ignore(params.mcpServers)
        await sessions.load(params.sessionId, client)
        return {}
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params, client }) =>
      answering(params.sessionId, async (sessions) => {
        ignore(params.mcpServers)
        await sessions.resume(params.sessionId, client)
        return {}
      }),
    )
    .onRequest(methods.agent.session.list, ({ params }) =>
      answering(undefined, (sessions) =>
        sessions.list({ cwd: params.cwd ?? process.cwd(), cursor: params.cursor ?? undefined }),
      ),
    )
    .onRequest(methods.agent.session.close, ({ params }) =>
      answering(params.sessionId, async (sessions) => {
        await sessions.close(params.sessionId)
        return {}
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params }) =>
      answering(params.sessionId, (sessions) => sessions.get(params.sessionId).prompt(params.prompt)),
    )
    .onNotification(methods.agent.session.cancel, async ({ params }) => {
      // Where there are no sessions, there is nothing to cancel.
      const sessions = await ready().catch(() => undefined)
      sessions?.find(params.sessionId)?.cancel()
    })
}
