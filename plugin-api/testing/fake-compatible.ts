import { createFakeOpenAI, type FakeRequest, type Script } from './fake-openai.ts'
import type { FakeVendor, Refusal, VendorReply, VendorRequest } from './fake-vendor.ts'

/** The words of a typical server that is compatible with OpenAI. */
const REFUSALS: Record<Refusal, Pick<Script, 'status' | 'error'>> = {
  auth: { status: 401 },
  quota: { status: 429, error: { code: 'insufficient_quota', message: 'You have no credit left' } },
  rate_limit: { status: 429 },
  outage: { status: 503 },
  model_not_found: { status: 404, error: { code: 'model_not_found' } },
  bad_request: { status: 400 },
  context_too_long: {
    status: 400,
    error: {
      code: 'context_length_exceeded',
      message:
        "This model's maximum context length is 8192 tokens. Please reduce the length of the messages.",
    },
  },
}

/** Starts the fake of OpenAI's wire, chat completions and the models of other kinds, as one of the vendors. */
export async function createFakeCompatible(options: {
  apiKey: string
  models: string[]
}): Promise<FakeVendor> {
  const fake = await createFakeOpenAI(options)
  const toRequest = ({ path, headers, body, aborted }: FakeRequest<unknown>): VendorRequest => {
    const leaving = new AbortController()
    void aborted.then(() => leaving.abort())
    return { method: 'POST', path, headers, body, gone: leaving.signal }
  }
  return {
    url: fake.url,
    get requests() {
      const all: FakeRequest<unknown>[] = [...fake.requests, ...fake.mediaRequests]
      return all.sort((one, other) => one.receivedAt - other.receivedAt).map(toRequest)
    },
    queue: (...replies) => fake.next(...replies.map(toScript)),
    request: async (n) => toRequest(await fake.request(n)),
    close: () => fake.close(),
  }
}

function toScript(reply: VendorReply): Script {
  const { text, reasoning, toolCalls, usage, finish, refusal, retryAfter, breakAfter, hold } = reply
  if (refusal && breakAfter === undefined)
    return { ...REFUSALS[refusal], ...(retryAfter && { headers: { 'retry-after': String(retryAfter) } }) }
  return {
    text,
    reasoning,
    toolCalls: toolCalls?.map(({ input, ...call }) => ({ ...call, arguments: input })),
    ...(usage && {
      usage: {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        prompt_tokens_details: { cached_tokens: usage.cached },
        completion_tokens_details: { reasoning_tokens: usage.reasoning },
      },
    }),
    finishReason: finish,
    disconnectAfter: breakAfter,
    // Client and fake share a process: it has its turns in between.
    delayMs: 1,
    hold: hold as Promise<void> | undefined,
  }
}
