import createFetchClient, { type Client as FetchClient } from 'openapi-fetch'
import { openSocket } from '#client/socket'
import type { paths } from './api.ts'
import { type Chat, createChat } from './chat.ts'
import type { ConnectionOptions } from './connection.ts'
import { createCredentials, createFetch, type SignIn } from './credentials.ts'
import { readRefusal } from './errors.ts'

/** Settings of a client. */
export interface ClientOptions extends SignIn {
  /** The address of the server, for example `http://127.0.0.1:8088`. */
  baseUrl: string
  /** Headers of every request; browsers do not send them with the WebSocket. */
  headers?: Record<string, string> | undefined
}

/** A client of one server: the calls of its API, by method and path, and chats with agents. */
export interface Client extends FetchClient<paths> {
  /** Opens a chat with an agent, by its id or name; the connection opens with the first turn. */
  chat(agent: string, options?: ConnectionOptions): Chat
}

/** Creates a client of one server. */
export function createClient({ baseUrl, headers = {}, ...signIn }: ClientOptions): Client {
  const base = `${baseUrl.replace(/(\/api)?\/*$/, '')}/api`
  const credentials = createCredentials(signIn)
  const fetch = createFetch(credentials)
  const client = createFetchClient<paths>({ baseUrl: base, fetch, headers })

  const call = async (path: string, init?: RequestInit) => {
    const response = await fetch(
      new Request(`${base}${path}`, { ...init, headers: { ...headers, ...init?.headers } }),
    )
    // The frames of a decision arrive on the socket as well, and leaving their stream cancels nothing.
    if (response.ok) await response.body?.cancel()
    else throw await readRefusal(response)
  }

  const chat = (agent: string, options: ConnectionOptions = {}) => {
    const path = `/agents/${encodeURIComponent(agent)}`
    return createChat({
      url: `${base.replace(/^http/, 'ws')}${path}/chat/ws`,
      headers,
      credentials,
      openSocket,
      check: () => call(path),
      resume: (verdict) =>
        call(`${path}/chat/hitl/resume`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(verdict),
        }),
      options,
    })
  }

  return { ...client, chat }
}
