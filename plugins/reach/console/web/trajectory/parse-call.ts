/** The tool and the input of a call from its summary. */
export function parseCall(summary: string): { name: string; input: unknown } {
  const [, name = summary, input = ''] = /^(\S+) (.*)$/s.exec(summary) ?? []
  return { name, input: readInput(input) }
}

/** The input of a call; of one that was cut, its first field. */
function readInput(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    const [, name, value] = /^\{"(\w+)":"([^"\\]*)"/.exec(json) ?? []
    return name ? { [name]: value } : {}
  }
}
