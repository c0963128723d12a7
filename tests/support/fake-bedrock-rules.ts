import { AwsV4Signer } from 'aws4fetch'
import type { VendorRequest } from '../../plugin-api/testing/fake-vendor.ts'
import { ADAPTIVE_MODEL, type AwsException, NOVA_MODEL, OLD_MODEL } from './fake-bedrock-models.ts'
import { isSignature } from './fake-claude.ts'

/** The credentials that a fake accepts: a Bedrock API key or an access key. */
export interface Credentials {
  api_key?: string
  access_key_id?: string
  secret_access_key?: string
  session_token?: string
  region: string
}

/** Returns AWS's refusal of a request's credentials; a signature is computed again and compared. */
export async function refusalOfAccess(
  { method, path, headers, body }: VendorRequest,
  origin: string,
  allowed: Credentials,
): Promise<AwsException | undefined> {
  const authorization = headers.authorization ?? ''
  if (authorization === '')
    return ['MissingAuthenticationTokenException', 403, 'Missing Authentication Token']
  if (authorization.startsWith('Bearer '))
    return allowed.api_key && authorization === `Bearer ${allowed.api_key}`
      ? undefined
      : ['AccessDeniedException', 403, 'Authentication failed: Please make sure your API Key is valid.']

  const [, keyId, region, names = ''] =
    /^AWS4-HMAC-SHA256 Credential=(\w+)\/\d{8}\/([\w-]+)\/bedrock\/aws4_request, SignedHeaders=([\w;-]+), /.exec(
      authorization,
    ) ?? []
  const token = headers['x-amz-security-token']
  if (keyId !== allowed.access_key_id || token !== allowed.session_token)
    return ['UnrecognizedClientException', 403, 'The security token included in the request is invalid.']
  const signed = names.split(';').filter((name) => name !== 'host' && !name.startsWith('x-amz-'))
  const signer = new AwsV4Signer({
    method,
    url: origin + path,
    headers: signed.map((name) => [name, String(headers[name])] as [string, string]),
    body: body && JSON.stringify(body),
    accessKeyId: keyId!,
    secretAccessKey: allowed.secret_access_key!,
    sessionToken: token as string | undefined,
    region: allowed.region,
    service: 'bedrock',
    datetime: String(headers['x-amz-date']),
  })
  const expected = (await signer.sign()).headers.get('authorization')
  if (region === allowed.region && authorization === expected) return undefined
  const message =
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.'
  return ['InvalidSignatureException', 403, message]
}

/** The body of a call of Converse. */
// biome-ignore lint/suspicious/noExplicitAny: whatever a client may send
export type ConverseBody = any
type Block = ConverseBody

const invalid = (message: string): AwsException => ['ValidationException', 400, message]

/** Returns Bedrock's refusal of a conversation, in its words. */
export function refusalOfBody(model: string, body: ConverseBody): AwsException | undefined {
  const {
    messages = [],
    system = [],
    toolConfig,
    inferenceConfig,
    additionalModelRequestFields: fields,
  } = body
  const blocks: Block[] = [...system, ...messages.flatMap(({ content }: Block) => content)]
  const marks = blocks.filter(({ cachePoint }) => cachePoint).length
  if (marks > 0 && model === OLD_MODEL) {
    const message =
      'You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information.'
    return ['AccessDeniedException', 403, message]
  }
  if (blocks.some(({ text }) => text !== undefined && text.trim() === ''))
    return invalid(
      'The text field in the ContentBlock object is blank. Add text to the text field, and try again.',
    )
  if (!toolConfig && blocks.some(({ toolUse, toolResult }) => toolUse || toolResult))
    return invalid('The toolConfig field must be defined when using toolUse and toolResult content blocks.')
  const { type, budget_tokens } = fields?.thinking ?? {}
  if (type === 'adaptive' && model !== ADAPTIVE_MODEL)
    return invalid(
      'The model returned the following errors: adaptive thinking is not supported on this model',
    )
  if (type === 'enabled' && budget_tokens >= (inferenceConfig?.maxTokens ?? 0))
    return invalid(
      'The model returned the following errors: `max_tokens` must be greater than `thinking.budget_tokens`.',
    )
  return refusalOfTurns(model, messages, type === 'enabled')
}

/** Returns Bedrock's refusal of texts to embed: Cohere requires their purpose. */
export function refusalOfTexts({ inputText, texts, input_type }: ConverseBody): AwsException | undefined {
  if (inputText !== undefined || (texts && input_type)) return undefined
  return invalid('Malformed input request: #: required key [input_type] not found')
}

function refusalOfTurns(model: string, messages: Block[], thinks: boolean): AwsException | undefined {
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant')
  let asked: string[] = []
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== (index % 2 === 0 ? 'user' : 'assistant'))
      return invalid(
        'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
      )
    const answered: string[] = content.flatMap(({ toolResult }: Block) => toolResult?.toolUseId ?? [])
    const open = asked.filter((id) => !answered.includes(id))
    if (open.length > 0)
      return invalid(
        `Expected toolResult blocks at messages.${index}.content for the following Ids: ${open.join(', ')}`,
      )
    if (answered.length > asked.length)
      return invalid(
        `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`,
      )
    for (const [n, block] of content.entries()) {
      if (block.cachePoint && n === 0) return invalid('There is nothing available to cache.')
      const previous = content[n - 1] ?? {}
      if (block.cachePoint && previous.reasoningContent)
        return invalid('Cache point cannot be inserted after reasoning block.')
      if (block.cachePoint && previous.toolResult && model === NOVA_MODEL)
        return invalid('Malformed input request: extraneous key [cachePoint] is not permitted')
      const { reasoningText } = block.reasoningContent ?? {}
      if (reasoningText && !isSignature(reasoningText.signature))
        return invalid(`messages.${index}.content.${n}: Invalid \`signature\` in \`thinking\` block`)
    }
    asked = content.flatMap(({ toolUse }: Block) => toolUse?.toolUseId ?? [])
    if (thinks && index === lastAnswer && asked.length > 0 && !content[0].reasoningContent)
      return invalid(
        `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`tool_use\`.`,
      )
  }
}
