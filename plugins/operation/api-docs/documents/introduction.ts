/** The introduction of the document, in Markdown: what holds for all operations. */
export const INTRODUCTION = `The HTTP API of an Agent Platform Service. All paths begin with \`/api\`; bodies are JSON in UTF-8 with \`snake_case\` names. Replies are plain objects and lists without an envelope. Times are integers in Unix seconds. Ids are opaque strings. Unknown fields of a body or query are refused.

The WebSockets, with their frames, are described by \`GET /api/asyncapi.json\`.

## Signing in

Send \`Authorization: Bearer <token>\` with an access token, which \`POST /auth/login\` returns, or with an API key. When less than a third of a token's life is left, replies have a fresh one in \`X-Access-Token\`. Role and permissions are read with each request, so changes apply at once.

## Errors

Every reply that is not 2xx or 3xx has the body \`{"error": {"code", "message", "details", "request_id"}}\`. Decide by \`code\`, show \`message\`, and quote \`request_id\` in reports. \`message\` is in English or Chinese, by \`Accept-Language\` or the language of the account. Each operation lists its codes. An object of another account is answered as if it did not exist.

## Paging

Lists are arrays and come in pages. \`limit\` sets the rows of a page: 50 by default, 200 at most. While more follow, the header \`Link\` has the address of the next page, relative to that of the request. A page may have fewer rows than \`limit\`, so rely on \`Link\`.

## Limits

Beyond a number or a size, a request is answered with 409 \`LIMIT_REACHED\`, which names the limit and its maximum. Beyond a rate it is answered with 429 \`RATE_LIMITED\` and \`Retry-After\`. \`GET /auth/me\` shows the limits of the account and what is used.

## Changes by several clients

Replies with a single object have an \`ETag\`. Send it as \`If-Match\` with a PATCH, and the object changes only if nobody else changed it meanwhile; otherwise the reply is 412 \`PRECONDITION_FAILED\`.

## Repeated requests

Send an \`Idempotency-Key\` of your choice (at most 128 characters) with a POST, and the same again when you repeat it, for instance after a cut: the repetition changes nothing and is answered with the first reply, for a day. The same key with another body is refused with 422 \`IDEMPOTENCY_KEY_REUSED\`.

## Versions

\`info.version\` is the version of the server. Fields, error codes and frame types may be added at any time, so ignore those that you do not know. What is to be removed is first marked as deprecated, and stays for at least one minor version.
`
