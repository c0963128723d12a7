import type { Plugin } from '#kernel'
import { createFakeOpenAI, type FakeOpenAI } from './fake-openai.ts'
import { type RunningServer, startTestServer } from './server.ts'

/** The provider, and the reference of its one model, that a fake upstream is reached by. */
export const PROVIDER = { name: 'fake', kind: 'openai-compatible', models: [{ id: 'm', name: 'M' }] }
export const MODEL = 'fake:m'

/** The parts of the started server that a suite uses. */
export interface BenchSettings {
  /** Plugins to load besides the built-in ones. */
  plugins?: readonly Plugin[]
  /** More of the server's configuration. */
  config?: Record<string, unknown>
  /** Returns the address of an empty MongoDB database to use in place of the embedded engine. */
  databaseUrl?(): string | Promise<string>
}

/** A server with the administrator's assistant, whose model is the fake upstream's. */
export interface AgentBench {
  server: RunningServer
  fake: FakeOpenAI
  agent_id: string
  close(): Promise<void>
}

/** Returns a configuration in which each of these plugins stops the start if it fails, so that the test says why. */
export function configOf({
  plugins = [],
  config: { plugins: sections = {}, ...config } = {},
  database,
}: Pick<BenchSettings, 'plugins' | 'config'> & { database?: string }): Record<string, unknown> {
  const settings = sections as Record<string, object>
  const required = plugins.map(({ name }) => [name, { ...settings[name], required: true }])
  return {
    ...config,
    ...(database !== undefined && { database: { url: database } }),
    plugins: { ...settings, ...Object.fromEntries(required) },
  }
}

/** Starts the server of a suite. */
export async function startBench({ plugins, config, databaseUrl }: BenchSettings): Promise<RunningServer> {
  return startTestServer({ plugins, config: configOf({ plugins, config, database: await databaseUrl?.() }) })
}

/** Makes the model of an upstream the one that everybody uses. */
export async function useUpstream(
  { request }: Pick<RunningServer, 'request'>,
  base_url: string,
): Promise<void> {
  const created = await request('POST', '/admin/providers', { ...PROVIDER, base_url })
  const chosen = await request('PUT', '/models/active', { model: MODEL })
  if (created.status !== 201 || chosen.status !== 200)
    throw new Error(`no upstream: ${JSON.stringify([created.body, chosen.body])}`)
}

/** Starts a server whose active model is a fake upstream's. */
export async function startAgentBench(settings: BenchSettings): Promise<AgentBench> {
  const server = await startBench(settings)
  const fake = await createFakeOpenAI()
  const close = async () => {
    await server.close()
    await fake.close()
  }
  try {
    await useUpstream(server, fake.url)
    const { body: agents } = await server.request('GET', '/agents')
    return { server, fake, agent_id: agents[0].id, close }
  } catch (error) {
    await close()
    throw error
  }
}
