// The page's policy blocks style elements and style attributes, but allows a script to set the same styles. The viewer
// adds elements and attributes, so they become style sheets and properties here.
{
  const sheets = new WeakMap();
  const setStyle = (element, css) => {
    let sheet = sheets.get(element);
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheets.set(element, sheet);
      document.adoptedStyleSheets.push(sheet);
    }
    sheet.replaceSync(css);
  };

  const textContent = Object.getOwnPropertyDescriptor(Node.prototype, 'textContent');
  Object.defineProperty(HTMLStyleElement.prototype, 'textContent', {
    ...textContent,
    set(css) {
      setStyle(this, css);
    },
  });
  HTMLStyleElement.prototype.appendChild = function (text) {
    setStyle(this, text.data);
    return text;
  };

  const { setAttribute } = Element.prototype;
  Element.prototype.setAttribute = function (name, value) {
    if (name === 'style') this.style.cssText = value;
    else setAttribute.call(this, name, value);
  };

  // In HTML, the viewer sets only the widths of line numbers, which the browser finds without help.
  const innerHtml = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML');
  Object.defineProperty(Element.prototype, 'innerHTML', {
    ...innerHtml,
    set(html) {
      if (this instanceof HTMLStyleElement) setStyle(this, html);
      else innerHtml.set.call(this, String(html).replaceAll(/ style="--line-count: \d+; --line-digits: \d+;"/g, ''));
    },
  });
}
