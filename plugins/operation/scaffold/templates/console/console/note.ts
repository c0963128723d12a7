import type { MountSlot } from 'agent-platform-service/plugin-api/console'

const WORDS = {
  en: { store: 'Store as a note', stored: 'Stored as a note.' },
  zh: { store: '存为笔记', stored: '已存为笔记。' },
}

/** A button at every answer, which stores its text as a note. */
const mount: MountSlot = (element, context) => {
  let current = context
  const { store, stored } = WORDS[context.locale]
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'slot-icon-button'
  button.ariaLabel = button.title = store
  button.innerHTML = '<svg viewBox="0 0 24 24"><path d="M12 5v14M5 12h14"/></svg>'
  button.onclick = async () => {
    button.disabled = true
    try {
      await current.request('POST', '/{{name}}', { text: (current.text ?? '').slice(0, 1000) })
      current.toast(stored)
    } catch (error) {
      current.toast((error as Error).message)
    }
    button.disabled = false
  }
  element.append(button)
  return {
    update(next) {
      current = next
    },
    unmount: () => button.remove(),
  }
}

export default mount
