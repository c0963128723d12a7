/** Reloads a page whose server has another build by now, when a file of its own build no longer exists. */
export const followBuild = (): void =>
  addEventListener('vite:preloadError', async () => {
    const main = document.querySelector<HTMLScriptElement>('script[type=module]')
    const html = await fetch(location.origin, { cache: 'no-store' }).then(
      (reply) => (reply.ok ? reply.text() : ''),
      () => '',
    )
    if (main && html.includes('<script') && !html.includes(new URL(main.src).pathname)) location.reload()
  })
