import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { ProviderConnection, ProviderKind, StreamingModel } from '../index.ts'
import type { BenchSettings } from './agent-bench.ts'
import type { FakeVendor, VendorRequest } from './fake-vendor.ts'
import { callModel, connectionTo, said } from './model-calls.ts'
import type { TestContext, TestFunction } from './test-function.ts'

/** A vendor's request in common terms, read back from its wire. */
export interface ReadRequest {
  model: string
  system: string
  /** In their order; several results in one message come as several entries. */
  messages: (
    | { role: 'user'; text: string; images: { media_type: string; base64: string }[] }
    | { role: 'assistant'; text: string; reasoning: string; toolCalls: { name: string; input: unknown }[] }
    | { role: 'tool'; name?: string; output: string; is_error?: boolean }
  )[]
  tools: { name: string; schema: { properties?: object } }[]
  max_tokens: number | undefined
}

/** A provider kind with the fake of its vendor. */
export interface ProviderKindSubject extends BenchSettings {
  kind: ProviderKind
  /** Starts a fake that answers only calls with this key. */
  startFake(): Promise<FakeVendor>
  api_key: string
  options?: Record<string, unknown>
  /** The models that the fake lists, one of each kind that the provider kind opens: one to chat with, … */
  model?: string
  embedding_model?: string
  image_model?: string
  speech_model?: string
  transcription_model?: string
  reranking_model?: string
  /** Reads a request for a chat back from the wire of the vendor; needed for a kind that chats. */
  readRequest?(request: VendorRequest): ReadRequest
  /** Counts of tokens that the wire does not tell. */
  lacks?: readonly ('cached' | 'reasoning_tokens')[]
  /** Environment variables that the client library would read on its own. */
  environment?: readonly string[]
  /** Declares the tests: `test` of `node:test` unless another is given, e.g. `(name, run) => t.test(name, run)` of tap. */
  test?: TestFunction
}

/** Shared by the cases of a provider kind: its subject, and fakes that end with the test. */
export type ProviderBench = ReturnType<typeof createProviderBench>

/** Makes the bench of a provider kind; its fakes are closed when the test has ended. */
export function createProviderBench(subject: ProviderKindSubject, t: TestContext) {
  const { kind, api_key, model: modelId = '' } = subject
  const fakes: FakeVendor[] = []
  t.after(() => Promise.all(fakes.map((fake) => fake.close())))

  const connect = (url: string, more: Partial<ProviderConnection> = {}): ProviderConnection =>
    connectionTo(url, { api_key, options: subject.options ?? {}, ...more })

  const startFake = async (): Promise<FakeVendor> => {
    const fake = await subject.startFake()
    fakes.push(fake)
    return fake
  }

  return {
    subject,
    /** Returns the connection to an address, with the subject's key and options. */
    connect,
    /** Starts a fake of the vendor and makes the kind's model of it. */
    async start(): Promise<{ fake: FakeVendor; model: StreamingModel }> {
      const fake = await startFake()
      return { fake, model: await kind.languageModel!(connect(fake.url), modelId) }
    },
    /** Starts a fake of the vendor. */
    startFake,
    /** Reads a request for a chat back from its wire. */
    readRequest: (request: VendorRequest): ReadRequest => subject.readRequest!(request),
    /** Calls the kind's model over a connection. */
    call: async (connection: ProviderConnection): ReturnType<typeof callModel> =>
      callModel(await kind.languageModel!(connection, modelId), hello),
  }
}

/** A short call with a system prompt and a limit. */
export const hello: LanguageModelV3CallOptions = {
  prompt: [{ role: 'system', content: 'Be brief.' }, said('a private question')],
  maxOutputTokens: 2048,
}

/** The token counts that a fake reports. */
export const usage = { input: 120, cached: 40, output: 30, reasoning: 12 }
