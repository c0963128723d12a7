import type { LanguageModelV3ToolResultOutput } from '@ai-sdk/provider'

/** Returns the result of a tool as text, for models that take nothing else. */
export function toResultText(output: LanguageModelV3ToolResultOutput): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value)
    case 'execution-denied':
      return output.reason ?? 'The call was denied.'
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
  }
}
