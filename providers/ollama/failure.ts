import { APICallError } from '@ai-sdk/provider'
import type { ExplainedFailure, ProviderKind, UpstreamReport } from '#plugin-api'

/** Creates the factory for errors with this URL; none contains anything of the conversation. */
export function createFailures(url: string) {
  const fail = (message: string, details: Partial<ConstructorParameters<typeof APICallError>[0]> = {}) =>
    new APICallError({ message, url, requestBodyValues: undefined, ...details })
  const say = (message: string, cause?: unknown) => fail(message, { cause, data: { error: message } })

  return {
    unreachable: (cause: unknown) => fail(`Ollama cannot be reached at ${url}.`, { cause }),
    /** For an answer with an error status, whose body it reads. */
    async refused(response: Response): Promise<APICallError> {
      const { handleRefusal } = await import('../fetch-list.ts')
      return (await handleRefusal({ response, url, requestBodyValues: undefined })).value
    },
    /** For a successful answer that is not Ollama's. */
    foreign: ({ status }: Response) => fail(`The server at ${url} is not Ollama.`, { statusCode: status }),
    /** For the `error` in a line of an answer. */
    reported: (error: unknown) => say(toWords(error)),
    tooComplex: () => say('Ollama sent a line that is too complex.'),
    malformed: (cause?: unknown) => say('Ollama sent a line that is not a JSON object.', cause),
    unfinished: () => say('The answer ended before it was finished.'),
    /** For an answer that says only that the model is loaded. */
    silent: (reason: string) => say(`Ollama did not answer (${reason}).`),
    /** For a connection that was lost within the answer. */
    interrupted: (cause: unknown) => fail('The connection was lost in the middle of the answer.', { cause }),
  }
}

/** The factory for the errors of one connection. */
export type Failures = ReturnType<typeof createFailures>

function toWords(error: unknown): string {
  if (typeof error === 'string') return error
  const message = (error as { message?: unknown } | null)?.message
  return typeof message === 'string' ? message : JSON.stringify(error)
}

/** Classifies errors that only Ollama's message identifies. */
export function explainError({ status, message }: UpstreamReport): ExplainedFailure | undefined {
  if (/\busage limit\b/i.test(message)) return { reason: 'quota' }
  if (/^model .* not\sfound/i.test(message)) return { reason: 'model_not_found' }
  if (status === undefined && /unauthorized|invalid api key/i.test(message)) return { reason: 'auth' }
  // The status is 500, but a retry fails in the same way.
  if (/requires more system memory|out of memory/i.test(message)) return { reason: 'bad_request' }
  if (/does not support (tools|thinking|chat)|context length|invalid (format|options)/i.test(message))
    return { reason: 'bad_request' }
  return undefined
}

/** Advice to a person about a failure at Ollama. */
export const guidance: ProviderKind['guidance'] = {
  unreachable: {
    en: 'Start Ollama with `ollama serve` and check the base URL, usually http://localhost:11434. From a container, localhost is the container itself, and for calls from other machines Ollama must run with OLLAMA_HOST=0.0.0.0.',
    zh: '请用 `ollama serve` 启动 Ollama，并检查 base URL，通常为 http://localhost:11434。在容器内，localhost 指容器自身；若要从其他机器访问，需设置 OLLAMA_HOST=0.0.0.0 后再启动 Ollama。',
  },
  model_not_found: {
    en: 'Ollama does not have this model. Run `ollama pull` with its name on the machine that runs Ollama, or choose a listed model.',
    zh: 'Ollama 中没有该模型。请在运行 Ollama 的机器上执行 `ollama pull` 加模型名称，或从列表中选择其他模型。',
  },
  bad_request: {
    en: 'The model may not support tools: choose one that `ollama show` lists with tools; if it does not support reasoning, remove the think option; if memory is short, choose a smaller model or context_length. The base URL must point to Ollama itself.',
    zh: '若模型不支持工具，请换用支持工具的模型；若不支持思考，请去掉 think 选项；若内存不足，请换用更小的模型或减小 context_length。base URL 必须是 Ollama 自身的地址。',
  },
  auth: {
    en: 'The API key was rejected. Keys for ollama.com are created at https://ollama.com/settings/keys; a proxy in front of Ollama has its own keys.',
    zh: 'API 密钥被拒绝。ollama.com 的密钥在 https://ollama.com/settings/keys 创建；Ollama 前面的代理使用其自己的密钥。',
  },
  quota: {
    en: 'Your ollama.com account has reached its usage limit. Wait until it resets, or get a higher limit at https://ollama.com/upgrade.',
    zh: 'ollama.com 账户已达到用量上限。请等待额度重置，或在 https://ollama.com/upgrade 升级套餐。',
  },
  outage: {
    en: 'Ollama is busy, failed or interrupted its answer. Try again later, or see the Ollama log on its machine.',
    zh: 'Ollama 繁忙、出错或中断了回答。请稍后重试；运行 Ollama 的机器上的日志中有更多信息。',
  },
}
