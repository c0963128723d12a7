/** Returns the request that posts JSON with these headers. */
export const postJSON = (body: object, headers: Readonly<Record<string, string>>) => ({
  method: 'POST',
  headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})
