const SVG = 'http://www.w3.org/2000/svg'

/** The data of paths of 24 by 24, drawn as lines, from Lucide. */
export const ICONS = {
  microphone: 'M12 2a3 3 0 0 0-3 3v7a3 3 0 0 0 6 0V5a3 3 0 0 0-3-3ZM19 10v2a7 7 0 0 1-14 0v-2M12 19v3',
  check: 'M20 6 9 17l-5-5',
  cross: 'M18 6 6 18M6 6l12 12',
  speaker:
    'M11 4.7a.7.7 0 0 0-1.2-.5L6.4 7.6a1.4 1.4 0 0 1-1 .4H3a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2.4a1.4 1.4 0 0 1 1 .4l3.4 3.4a.7.7 0 0 0 1.2-.5ZM16 9a5 5 0 0 1 0 6M19.4 18.4a9 9 0 0 0 0-12.7',
  square: 'M7 6h10a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1Z',
} as const

/** A button with an icon. */
export interface IconButton {
  element: HTMLButtonElement
  /** Changes its icon, and the name that people read and hear. */
  show(icon: keyof typeof ICONS, label: string): void
}

/** Creates a button with an icon, whose look is that of the console. */
export function createIconButton(onClick: () => void): IconButton {
  const element = document.createElement('button')
  element.type = 'button'
  element.className = 'slot-icon-button'
  element.addEventListener('click', onClick)
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(SVG, 'path')
  svg.append(path)
  element.append(svg)
  return {
    element,
    show(icon, label) {
      path.setAttribute('d', ICONS[icon])
      element.title = label
      element.setAttribute('aria-label', label)
    },
  }
}

/** Creates a short text beside buttons, with its role. */
export function createNote(role: 'status' | 'timer'): HTMLElement {
  const element = document.createElement('span')
  element.className = 'slot-meta'
  element.setAttribute('role', role)
  Object.assign(element.style, {
    whiteSpace: 'nowrap',
    fontVariantNumeric: 'tabular-nums',
    paddingInline: '4px',
  })
  return element
}

/** Creates the red light of a recording. */
export function createLight(): HTMLElement {
  const element = document.createElement('span')
  element.setAttribute('aria-hidden', 'true')
  Object.assign(element.style, {
    flex: 'none',
    width: '8px',
    height: '8px',
    marginInlineStart: '4px',
    borderRadius: '50%',
    background: 'var(--slot-danger)',
  })
  return element
}
