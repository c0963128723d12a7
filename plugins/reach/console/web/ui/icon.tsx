import { createElement, type SVGProps } from 'react'

/** A shape of an icon: the outline of a path, or another element of SVG with its attributes. */
type Shape = string | [element: string, attributes: Record<string, string>]

interface Props extends SVGProps<SVGSVGElement> {
  /** Width and height in pixels. */
  size?: number
}

/** An icon, which is hidden from screen readers unless it has a name. */
export type IconComponent = ReturnType<typeof createIcon>

/** Returns an icon of some shapes on a field of 24 units. */
export const createIcon = (...shapes: Shape[]) =>
  function Icon({ size = 24, ...props }: Props) {
    return (
      // biome-ignore lint/a11y/noSvgWithoutTitle: its place names it, or it is decoration
      <svg
        xmlns="http://www.w3.org/2000/svg"
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={2}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden={'aria-label' in props ? undefined : true}
        {...props}
      >
        {shapes.map((shape) => {
          const [element, attributes] = typeof shape === 'string' ? ['path', { d: shape }] : shape
          return createElement(element, { key: JSON.stringify(shape), ...attributes })
        })}
      </svg>
    )
  }
