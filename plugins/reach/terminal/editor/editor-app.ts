import { isAbsolute } from 'node:path'
import {
  type AgentApp,
  type AuthMethod,
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk'
import type { EditorSessions } from './editor-sessions.ts'
import { toRequestError } from './sign-in.ts'

/** Creates the agent that an editor talks to. `ready` returns the sessions, or throws the reason why there are none. */
export const createEditorApp = ({
  title,
  version,
  advice,
  ready,
  note,
}: {
  /** The name of the agent, as it was requested on the command line. */
  title: string
  version: string
  /** Tells a user who is not logged in what to do. */
  advice: string
  ready(): Promise<EditorSessions>
  note(text: string): void
}): AgentApp => {
  const authMethods: AuthMethod[] = [{ id: 'svc-chat', name: 'Sign in with svc chat', description: advice }]
  let hasNotedIgnored = false

  /** Runs a handler; throws errors that an editor understands. */
  const respond = async <Answer>(
    sessionId: string | undefined,
    run: (sessions: EditorSessions) => Promise<Answer> | Answer,
  ): Promise<Answer> => {
    try {
      return await run(await ready())
    } catch (error) {
      throw toRequestError(error, sessionId)
    }
  }

  const noteIgnored = (mcpServers: readonly unknown[] = []) => {
    if (mcpServers.length === 0 || hasNotedIgnored) return
    hasNotedIgnored = true
    note('The editor’s MCP servers are ignored: the agent uses the tools on the server.')
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
    .onRequest(methods.agent.authenticate, () => respond(undefined, () => ({})))
    .onRequest(methods.agent.session.new, ({ params, client }) =>
      respond(undefined, async (sessions) => {
        assertAbsolute(params.cwd)
        noteIgnored(params.mcpServers)
        return { sessionId: await sessions.begin(client) }
      }),
    )
    .onRequest(methods.agent.session.load, ({ params, client }) =>
      respond(params.sessionId, async (sessions) => {
        assertAbsolute(params.cwd)
        noteIgnored(params.mcpServers)
        await sessions.load(params.sessionId, client)
        return {}
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params, client }) =>
      respond(params.sessionId, async (sessions) => {
        assertAbsolute(params.cwd)
        noteIgnored(params.mcpServers)
        await sessions.resume(params.sessionId, client)
        return {}
      }),
    )
    .onRequest(methods.agent.session.list, ({ params }) =>
      respond(undefined, (sessions) => {
        const cwd = params.cwd ?? process.cwd()
        assertAbsolute(cwd)
        return sessions.list({ cwd, cursor: params.cursor ?? undefined })
      }),
    )
    .onRequest(methods.agent.session.close, ({ params }) =>
      respond(params.sessionId, async (sessions) => {
        await sessions.close(params.sessionId)
        return {}
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params }) =>
      respond(params.sessionId, (sessions) => sessions.get(params.sessionId).prompt(params.prompt)),
    )
    .onNotification(methods.agent.session.cancel, async ({ params }) => {
      // Without sessions there is nothing to cancel.
      const sessions = await ready().catch(() => undefined)
      sessions?.find(params.sessionId)?.cancel()
    })
}

/** Throws for a folder that is not named by an absolute path, as the protocol requires. */
function assertAbsolute(cwd: string): void {
  if (!isAbsolute(cwd))
    throw RequestError.invalidParams({ cwd }, `cwd must be an absolute path: "${cwd}" is not`)
}
