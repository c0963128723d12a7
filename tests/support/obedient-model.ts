import type { FakeOpenAI, Script } from '../../plugin-api/testing/fake-openai.ts'

type Sent = FakeOpenAI['requests'][number]['body']

/** An order to a model, wherever it reads it: `{{name {"some":"arguments"}}}`. */
const BEGIN = /\{\{(\w+) (?=\{)/g

/** Writes an order that an obedient model carries out. */
export const order = (name: string, input: object): string => `{{${name} ${JSON.stringify(input)}}}`

/** Returns the texts of a message, also those within parts. */
const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part) => String((part as { text?: unknown }).text ?? '')).join('\n')
      : ''

/** Lists the orders in a text; the arguments of an order may contain others, which are not listed. */
function listOrders(text: string): { name: string; input: string }[] {
  const orders: { name: string; input: string }[] = []
  let position = 0
  for (const match of text.matchAll(BEGIN)) {
    const start = match.index + match[0].length
    if (match.index < position) continue
    for (let end = text.indexOf('}}}', start); end >= 0; end = text.indexOf('}}}', end + 1)) {
      try {
        const input = JSON.stringify(JSON.parse(text.slice(start, end + 1)))
        orders.push({ name: match[1]!, input })
        position = end
        break
      } catch {
        // The order ends at one of the next braces, or was cut.
      }
    }
  }
  return orders
}

/**
 * Answers as a model that carries out every order that it reads, in its instructions, in messages, or in what tools return:
 * each once, in their order, if the tool is offered. It repeats every order.
 */
export function obey({ messages, tools = [] }: Sent): Script {
  const offered = new Set(tools.map((tool) => tool.function.name))
  const carriedOut = new Set(
    messages.flatMap(({ tool_calls = [] }) =>
      tool_calls.map((call) => `${call.function.name} ${call.function.arguments}`),
    ),
  )
  for (const { content } of messages)
    for (const { name, input } of listOrders(textOf(content)))
      if (offered.has(name) && !carriedOut.has(`${name} ${input}`))
        return { toolCalls: [{ name, arguments: input }] }
  const heard = messages.slice(1).map(({ content }) => textOf(content))
  return { text: [heard.join('\n').slice(-500) || 'Yes.'] }
}
