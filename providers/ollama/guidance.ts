import type { ProviderKind } from '#plugin-api'

/** What a person can do about a failure of Ollama. */
export const guidance: ProviderKind['guidance'] = {
  unreachable: {
    en: 'Start Ollama with `ollama serve` and check the base URL, usually http://localhost:11434. From a container, localhost is the container itself, and for calls from other machines Ollama must run with OLLAMA_HOST=0.0.0.0.',
    zh: '请用 `ollama serve` 启动 Ollama，并检查 base URL，通常为 http://localhost:11434。在容器内，localhost 指容器自身；若要从其他机器访问，需设置 OLLAMA_HOST=0.0.0.0 后再启动 Ollama。',
  },
  model_not_found: {
    en: 'Ollama does not have this model. Run `ollama pull` with its name on the machine where Ollama runs, or choose one that is listed.',
    zh: 'Ollama 中没有该模型。请在运行 Ollama 的机器上执行 `ollama pull` 加模型名称，或从列表中选择其他模型。',
  },
  bad_request: {
    en: 'If the model does not support tools, choose one that does; if it does not support thinking, remove the option think; if memory is short, choose a smaller model or context_length. The base URL must be that of Ollama itself.',
    zh: '若模型不支持工具，请换用支持工具的模型；若不支持思考，请去掉 think 选项；若内存不足，请换用更小的模型或减小 context_length。base URL 必须是 Ollama 自身的地址。',
  },
  auth: {
    en: 'The API key was refused. Keys for ollama.com are made at https://ollama.com/settings/keys; a proxy in front of Ollama has keys of its own.',
    zh: 'API 密钥被拒绝。ollama.com 的密钥在 https://ollama.com/settings/keys 创建；Ollama 前面的代理使用其自己的密钥。',
  },
  quota: {
    en: 'The account at ollama.com has reached its usage limit. Wait until the limit is renewed, or get a higher one at https://ollama.com/upgrade.',
    zh: 'ollama.com 账户已达到用量上限。请等待额度重置，或在 https://ollama.com/upgrade 升级套餐。',
  },
  outage: {
    en: 'Ollama is busy, failed or broke off its answer. Try again later; its log on the machine where it runs says more.',
    zh: 'Ollama 繁忙、出错或中断了回复。请稍后重试；运行 Ollama 的机器上的日志中有更多信息。',
  },
}
