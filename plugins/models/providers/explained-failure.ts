import { APICallError } from '@ai-sdk/provider'
import {
  type ExplainedFailure,
  findNetworkFailure,
  listCauses,
  type ProviderFailure,
  type ProviderKind,
  type UpstreamReport,
} from '#plugin-api'
import { readReport } from './upstream-report.ts'

/** Classifies an error of a call: by the kind's own explanation, otherwise by status, body and cause. */
export function explainFailure(error: unknown, kind: ProviderKind): ExplainedFailure {
  const report = readReport(error)
  const retry_after_ms = readPause(report.headers)
  const explained = kind.explainError?.(report, error) ?? { reason: findReason(report, error) }
  return {
    ...(report.status !== undefined && { status: report.status }),
    ...explained,
    ...(retry_after_ms !== undefined && { retry_after_ms }),
    ...(isTooLong(explained.reason, report) && { reason: 'bad_request', is_too_long: true }),
  }
}

/** The words of upstreams for a prompt that is too long. */
const TOO_LONG = [
  /context[ _-]?(length|window|size|limit)|maximum (context|prompt)|max context|max_(seq_len|kv_size)/i,
  /prompt (is too long|tokens too long|contains)|exceeds? max length|too many (input |total )?(tokens|text bytes)/i,
  /input (is )?too long|(input|prompt)( token)? length .{0,12}(too long|exceed)|input token count|input is too large to process/i,
  /prompt token (count|number)|range of input length|reduce the length|max(imum)? input (characters|tokens)/i,
  /exceed.{0,40}(context|token limit|max(imum)?( allowed)? (message|input|prompt|model)? ?(tokens|length))/i,
  /token limit exceeded|longer than the (maximum )?model|inputs?`? (tokens \+|must have less than)/i,
  /expected maxLength: \d+, actual|payload size exceeds/i,
  /(超出|超过).{0,20}(长度|上下文|模型上限)|(上下文|输入|内容|消息|prompt|messages).{0,8}(过长|超长|超出|长度超限)|token ?(总)?数(量)?(超过|超出)/i,
]

const TOO_LONG_CODES =
  /context_length_exceeded|string_above_max_length|max_prompt_tokens_exceeded|tokens_too_long/

/** True if an upstream says, in whatever words, that the prompt is longer than its model takes. */
const isTooLong = (reason: ProviderFailure, { status, code, message }: UpstreamReport) =>
  status === 413 ||
  ((reason === 'bad_request' || reason === 'outage' || (reason === 'unknown' && status !== undefined)) &&
    (TOO_LONG_CODES.test(code) || TOO_LONG.some((words) => words.test(message))))

function findReason({ status, body, code, type, message }: UpstreamReport, error: unknown): ProviderFailure {
  const marks = `${code} ${type}`
  if (status === 402 || /quota|billing|insufficient_(balance|funds|credit)/i.test(marks)) return 'quota'
  if (/model_not_found|model_not_exist|unknown_model/i.test(marks)) return 'model_not_found'
  if (status === 401 || status === 403 || /invalid_api_key|authentication/i.test(marks)) return 'auth'
  if (status === 404) return 'model_not_found'
  if (status === 429 || /rate_limit/i.test(marks)) return 'rate_limit'
  if (status === 408 || status === 504) return 'timeout'
  if (status !== undefined && status >= 500) return 'outage'
  const network = classifyCause(error)
  if (network !== 'unknown') return network
  // A status of success without an answer means that the address does not belong to this API.
  if (status !== undefined) return 'bad_request'
  if (body !== undefined && message !== '') return 'outage'
  // An answer that began and did not end, though the network did not fail.
  return APICallError.isInstance(error) && error.cause === undefined ? 'outage' : 'unknown'
}

function classifyCause(error: unknown): ProviderFailure {
  // The error for a port that `fetch` refuses to connect to has no code.
  if (listCauses(error).some(({ message }) => message === 'bad port')) return 'unreachable'
  const reason = findNetworkFailure(error)?.reason
  if (reason === 'timeout') return 'timeout'
  return reason === 'unreachable' || reason === 'insecure' ? 'unreachable' : 'unknown'
}

/** Reads `retry-after-ms`, or `retry-after`, which is in seconds or a date. */
function readPause({
  'retry-after-ms': milliseconds,
  'retry-after': secondsOrDate,
}: UpstreamReport['headers']) {
  const ms = milliseconds
    ? Number(milliseconds)
    : secondsOrDate && /^[\d.]+$/.test(secondsOrDate)
      ? Number(secondsOrDate) * 1000
      : Date.parse(secondsOrDate ?? '') - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
