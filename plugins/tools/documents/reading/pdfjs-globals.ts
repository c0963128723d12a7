// pdf.js expects a browser, of which reading text needs little: its drawing is never run.

/** A transformation of the browser, which pdf.js makes when it is loaded. */
class NoMatrix {}

/** A font of the browser, which is never drawn with. */
class NoFontFace {
  readonly loaded = Promise.resolve(this)
}

Object.assign(globalThis, {
  DOMMatrix: NoMatrix,
  FontFace: NoFontFace,
  ImageData: class {},
  Path2D: class {},
})
