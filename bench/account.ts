/** A signed-in administrator of a service whose active model is that of the fake upstream. */
export interface Account {
  agentId: string
  token: string
  password: string
  /** The WebSocket address of the assistant's chat, including the token. */
  chatUrl: string
  /** Calls the API below `/api` and returns the parsed body; throws on any status that is not 2xx. */
  call<T>(method: string, path: string, body?: object): Promise<T>
}

/** Signs in and activates the model of the upstream through the public API. */
export async function createAccount({
  url,
  password,
  upstreamUrl,
}: {
  url: string
  password: string
  upstreamUrl: string
}): Promise<Account> {
  let token: string | undefined
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return (text ? JSON.parse(text) : undefined) as T
  }

  const login = await call<{ access_token: string; user: { id: string } }>('POST', '/auth/login', {
    username: 'admin',
    password,
  })
  token = login.access_token
  await call('POST', '/admin/providers', {
    name: 'bench',
    kind: 'openai-compatible',
    base_url: upstreamUrl,
    api_key: 'bench-key',
    models: [{ id: 'bench-model', name: 'bench-model' }],
    max_concurrency: 1000,
  })
  await call('PUT', '/models/active', { model: 'bench:bench-model' })
  const agents = await call<{ id: string; name: string }[]>('GET', '/agents')
  const assistant = agents.find(({ name }) => name === 'assistant')
  if (!assistant) throw new Error('the administrator has no agent named assistant')

  const chatUrl = `${url.replace(/^http/, 'ws')}/api/agents/${assistant.id}/chat/ws?token=${token}`
  return { agentId: assistant.id, token, password, chatUrl, call }
}
