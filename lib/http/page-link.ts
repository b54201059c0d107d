/**
 * Returns the `Link` header for the next page.
 * @param url the URL of the list, without a query
 * @param query the parameters of the next page by their names in the query; those without a value are left out
 */
export function nextPageLink(
  url: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): { readonly Link: string } {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return { Link: `<${url}?${parameters.join('&')}>; rel="next"` };
}
