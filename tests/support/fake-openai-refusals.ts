import type { Refusal } from '../../plugin-api/testing/fake-vendor.ts'

/** A refusal as OpenAI or Azure says it. */
export interface VendorWords {
  status: number
  error: {
    message: string
    type?: string | null
    param?: string | null
    code: string | null
    [field: string]: unknown
  }
  headers?: Record<string, string>
}

interface Circumstance {
  model: string
  /** Seconds. */
  retryAfter?: number
}

/** The refusals of one vendor. */
export interface RefusalWords {
  of(refusal: Refusal, circumstance: Circumstance): VendorWords
  /** The events that end a stream of the Responses API. */
  events(refusal: Refusal, circumstance: Circumstance): { type: string; [field: string]: unknown }[]
  denied(sent: string | string[] | undefined, expected: string): VendorWords | undefined
  missing(param: string): VendorWords
  noModel(model: string): VendorWords
  noChatModel(model: string): VendorWords
  noRoute(method: string, path: string): VendorWords
  cannotEmbed(model: string): VendorWords
}

/** The words of OpenAI, or of Azure, which has its own where its gateway or deployments are concerned. */
export const refusalWords = (flavour: 'openai' | 'azure'): RefusalWords =>
  flavour === 'azure' ? azure : openai

const fault = (
  status: number,
  message: string,
  code: string | null,
  { type = 'invalid_request_error', param = null }: { type?: string; param?: string | null } = {},
): VendorWords => ({ status, error: { message, type, param, code } })

const missing = (param: string) =>
  fault(400, `Missing required parameter: '${param}'.`, 'missing_required_parameter', { param })

const pauseHeaders = (seconds: number | undefined): Record<string, string> =>
  seconds === undefined ? {} : { 'retry-after': String(seconds), 'retry-after-ms': String(seconds * 1000) }

const openai: RefusalWords = {
  of(refusal, { model, retryAfter }) {
    switch (refusal) {
      case 'auth':
        return wrongKey('sk-wrong')
      case 'quota':
        return fault(
          429,
          'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
          'insufficient_quota',
          { type: 'insufficient_quota' },
        )
      case 'rate_limit': {
        const again = retryAfter === undefined ? '' : ` Please try again in ${retryAfter}s.`
        const message = `Rate limit reached for ${model} in organization org-fake on requests per min (RPM): Limit 3, Used 3, Requested 1.${again} Visit https://platform.openai.com/account/rate-limits to learn more.`
        return {
          ...fault(429, message, 'rate_limit_exceeded', { type: 'requests' }),
          headers: {
            'x-ratelimit-limit-requests': '3',
            'x-ratelimit-remaining-requests': '0',
            ...pauseHeaders(retryAfter),
          },
        }
      }
      case 'outage':
        return fault(
          503,
          'Our servers are currently overloaded. Please try again later.',
          'server_is_overloaded',
          {
            type: 'service_unavailable_error',
          },
        )
      case 'model_not_found':
        return openai.noModel(model)
      case 'bad_request':
        return fault(400, "Invalid type for 'input': expected a string.", 'invalid_type', { param: 'input' })
      case 'context_too_long':
        return fault(
          400,
          'Your input exceeds the context window of this model. Please adjust your input and try again.',
          'context_length_exceeded',
          { param: 'input' },
        )
    }
  },
  events(refusal, circumstance) {
    const { error } = openai.of(refusal, circumstance)
    // An overload is reported by an error event, a bad request by the end of the response.
    if (refusal === 'outage') return [{ type: 'error', error }]
    const { code, message } = error
    const response = { id: 'resp_failed', object: 'response', status: 'failed', output: [], usage: null }
    return [
      {
        type: 'response.failed',
        response: { ...response, error: { code, message }, incomplete_details: null },
      },
    ]
  },
  denied(sent, expected) {
    if (sent === expected) return undefined
    const key = String(sent ?? '').replace(/^Bearer\s*/, '')
    return key === ''
      ? fault(
          401,
          "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY). You can obtain an API key from https://platform.openai.com/account/api-keys.",
          null,
        )
      : wrongKey(key)
  },
  missing,
  noModel: (model) =>
    fault(400, `The requested model '${model}' does not exist.`, 'model_not_found', { param: 'model' }),
  noChatModel: (model) =>
    fault(404, `The model \`${model}\` does not exist or you do not have access to it.`, 'model_not_found'),
  noRoute: (method, path) => fault(404, `Invalid URL (${method} ${path})`, null),
  cannotEmbed: () => fault(403, 'You are not allowed to generate embeddings from this model', null),
}

const wrongKey = (key: string) =>
  fault(
    401,
    `Incorrect API key provided: ${key.slice(0, 4)}****${key.slice(-4)}. You can find your API key at https://platform.openai.com/account/api-keys.`,
    'invalid_api_key',
  )

const bare = (status: number, code: string, message: string): VendorWords => ({
  status,
  error: { code, message },
})

const azure: RefusalWords = {
  ...openai,
  of(refusal, circumstance) {
    const { retryAfter } = circumstance
    switch (refusal) {
      case 'auth':
        return bare(
          401,
          'PermissionDenied',
          'The principal `00000000-0000-0000-0000-000000000000` lacks the required data action `Microsoft.CognitiveServices/accounts/OpenAI/responses/write` to perform `POST /openai/v1/responses` operation.',
        )
      case 'quota':
        return bare(
          403,
          '403',
          'Out of call volume quota for OpenAI F0 pricing tier. Please retry after 21 days. To increase your call volume switch to a paid tier.',
        )
      case 'rate_limit': {
        const again = retryAfter === undefined ? '' : ` Please retry after ${retryAfter} seconds.`
        const message = `Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have exceeded call rate limit of your current OpenAI S0 pricing tier.${again} Please go here: https://aka.ms/oai/quotaincrease if you would like to further increase the default rate limit.`
        return { ...bare(429, '429', message), headers: pauseHeaders(retryAfter) }
      }
      case 'outage':
        return fault(
          500,
          'The server had an error processing your request. Sorry about that!',
          'server_error',
          {
            type: 'server_error',
          },
        )
      case 'model_not_found':
        return azure.noModel(circumstance.model)
      case 'bad_request':
        return {
          status: 400,
          error: {
            message:
              "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry. To learn more about our content filtering policies please read our documentation: https://go.microsoft.com/fwlink/?linkid=2198766",
            type: null,
            param: 'prompt',
            code: 'content_filter',
            status: 400,
            innererror: {
              code: 'ResponsibleAIPolicyViolation',
              content_filter_result: { violence: { filtered: true, severity: 'high' } },
            },
          },
        }
      case 'context_too_long':
        return fault(
          400,
          "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens. Please reduce the length of the messages.",
          'context_length_exceeded',
          { param: 'messages' },
        )
    }
  },
  events(refusal, circumstance) {
    const { error } = azure.of(refusal, circumstance)
    const { code, message } = error
    return [{ type: 'error', error: { type: error.type ?? code, code, message, param: null } }]
  },
  denied: (sent, expected) =>
    sent === expected
      ? undefined
      : bare(
          401,
          '401',
          'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
        ),
  noModel: () =>
    bare(
      404,
      'DeploymentNotFound',
      'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.',
    ),
  noChatModel: (model) => azure.noModel(model),
  noRoute: () => bare(404, '404', 'Resource not found'),
  cannotEmbed: (model) =>
    bare(
      400,
      'OperationNotSupported',
      `The embeddings operation does not work with the specified model, ${model}. Please choose different model and try again.`,
    ),
}
