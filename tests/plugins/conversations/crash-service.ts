import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import type { Test } from '../../run/file-test.ts'
import { chatUrl, connectChat, MODEL, PROVIDER } from '../../support/chat.ts'
import { ADMIN, startServer, type TestReply } from '../../support/server.ts'
import { type ServiceProcess, spawnService } from '../../support/service-process.ts'

/** Starts a server of this home in its own process, which is killed and restarted, with an upstream of its own. */
export async function startCrashService(t: Test, home: string) {
  const fake = await createFakeOpenAI()
  t.teardown(() => fake.close())
  let service: Pick<ServiceProcess, 'url' | 'kill'> = await spawnService(t, home)
  let token = ''
  const call = async (method: string, path: string, body?: object): Promise<TestReply['body']> => {
    const response = await fetch(`${service.url}/api${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.status === 204 ? undefined : response.json()
  }
  token = (await call('POST', '/auth/login', ADMIN)).access_token
  await call('POST', '/admin/providers', { ...PROVIDER, base_url: fake.url })
  await call('PUT', '/models/active', { model: MODEL })
  const [agent] = await call('GET', '/agents')
  const agent_id: string = agent.id
  return {
    fake,
    agent_id,
    token,
    /** Returns the address of the agent at the server that runs now. */
    agentUrl: () => `${service.url}/api/agents/${agent_id}`,
    call: (method: string, path: string, body?: object) => call(method, `/agents/${agent_id}${path}`, body),
    connect: () => connectChat(t, chatUrl(service.url, agent_id, token)),
    kill: () => service.kill(),
    /** Starts the next server; a server that is not killed needs no process of its own. */
    async start({ isLast = false } = {}) {
      if (!isLast) service = await spawnService(t, home)
      else {
        const { url, stop } = await startServer(t, { home, signIn: false })
        service = { url, kill: stop }
      }
    },
  }
}
