import type { Scheme } from './trigger-form.ts'

const PLACEHOLDER = /\{\{\s*([^{}\s]+)\s*\}\}/g

/** A body with a value at every place that a prompt names. */
function exampleBody(prompt: string): object {
  const body: Record<string, unknown> = {}
  for (const [, path] of prompt.matchAll(PLACEHOLDER)) {
    if (path === '.') continue
    const names = path!.split('.')
    let part = body
    for (const [index, name] of names.entries()) {
      const next = names[index + 1]
      if (next === undefined) part[name] ??= `example ${name}`
      else if (typeof part[name] !== 'object') part[name] = /^\d+$/.test(next) ? [] : {}
      part = part[name] as Record<string, unknown>
    }
  }
  return Object.keys(body).length > 0 ? body : { message: 'Hello' }
}

/** Quotes a text for a shell. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A command that calls a trigger, for schemes that a command line can sign for; undefined for the others. */
export function exampleCommand(
  scheme: Scheme,
  { url, secret, prompt }: { url: string; secret: string; prompt: string },
): string | undefined {
  const body = quote(JSON.stringify(exampleBody(prompt)))
  if (scheme === 'token')
    return [
      `curl ${quote(url)}`,
      `-H ${quote(`Authorization: Bearer ${secret}`)}`,
      "-H 'Content-Type: application/json'",
      `-d ${body}`,
    ].join(' \\\n  ')
  if (scheme === 'github')
    return [
      `BODY=${body}`,
      `SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac ${quote(secret)} -r | cut -d' ' -f1)`,
      [
        `curl ${quote(url)}`,
        '-H "X-Hub-Signature-256: sha256=$SIGNATURE"',
        "-H 'Content-Type: application/json'",
        '-d "$BODY"',
      ].join(' \\\n  '),
    ].join('\n')
  return undefined
}
