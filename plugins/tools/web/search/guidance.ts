import type { LocalizedText, SearchFailureReason } from '#plugin-api'

/** Advice to a person about a failure, for any engine. */
export const guidance: Record<SearchFailureReason, LocalizedText> = {
  auth: {
    en: 'The engine rejected the API key. Check that it is complete, has not been revoked and belongs to this engine.',
    zh: '搜索引擎拒绝了 API 密钥。请检查密钥是否完整、未被吊销，且属于该引擎。',
  },
  quota: {
    en: 'The plan of this key is used up. Top it up or raise its limit at the engine.',
    zh: '此密钥的套餐额度已用尽。请在搜索引擎处充值或提高限额。',
  },
  rate_limit: {
    en: 'The engine received too many searches. Wait a moment, or choose a plan with a higher rate.',
    zh: '搜索过于频繁，被引擎限制。请稍候重试，或选用频率更高的套餐。',
  },
  outage: {
    en: 'The engine is down. Try again later.',
    zh: '搜索引擎出现故障。请稍后重试。',
  },
  timeout: {
    en: 'The engine took too long to respond. Try again, or check the network between this server and the engine.',
    zh: '搜索引擎响应超时。请重试，或检查本服务器与引擎之间的网络。',
  },
  unreachable: {
    en: 'The engine cannot be reached. Check the address: its host name, its port, and http or https.',
    zh: '无法连接搜索引擎。请检查地址：主机名、端口，以及 http 或 https。',
  },
  address_not_allowed: {
    en: 'The address is in a private network. Enter it in the settings of the engine, or allow its host with SVC_ALLOW_HOSTS.',
    zh: '该地址位于内部网络。请在引擎设置中填写该地址，或通过 SVC_ALLOW_HOSTS 允许其主机。',
  },
  redirected: {
    en: 'The address redirects to another one. Enter the final address, often with https.',
    zh: '该地址会重定向到其他地址。请填写最终地址（通常以 https 开头）。',
  },
  not_found: {
    en: 'There is no search API at this address. Check the address.',
    zh: '该地址没有搜索接口。请检查地址。',
  },
  not_enabled: {
    en: 'The engine does not allow searches by programs. Enable its API.',
    zh: '该引擎未开放程序搜索。请启用其接口。',
  },
  bad_request: {
    en: 'The engine rejected the search. Shorten the query and check the settings of the engine.',
    zh: '搜索引擎拒绝了此次搜索。请缩短查询并检查引擎设置。',
  },
  unreadable: {
    en: 'The answer is not that of a search API. Check the address.',
    zh: '返回的内容不是搜索接口的结果。请检查地址。',
  },
  unknown: {
    en: 'The search failed for an unknown reason. See the server log.',
    zh: '搜索失败，原因未知。请查看服务器日志。',
  },
}
