/** Texts of a shop, with their translations where a person has written them. */
export const TEXTS: readonly (readonly [source: string, german?: string, arabic?: string])[] = [
  ['Spring is here', 'Der Frühling ist da', 'حلّ الربيع'],
  [
    'Free delivery on all orders over £40',
    'Kostenloser Versand ab 40 £',
    'توصيل مجاني لجميع الطلبات التي تزيد على 40 جنيهًا',
  ],
  [
    'Our new collection is made in small workshops in Portugal and Italy. Each piece is cut, sewn and checked by the same person, and comes with a card that carries their name.',
    'Unsere neue Kollektion entsteht in kleinen Werkstätten in Portugal und Italien. Jedes Stück wird von ein und derselben Person zugeschnitten, genäht und geprüft. Die beiliegende Karte trägt ihren Namen.',
    'تُصنع مجموعتنا الجديدة في ورش صغيرة في البرتغال وإيطاليا. كل قطعة يقصّها ويخيطها ويفحصها الشخص نفسه، وتأتي مع بطاقة تحمل اسمه.',
  ],
  ['Add to basket', 'In den Warenkorb', 'أضف إلى السلة'],
  ['You have {count, plural, one {# item} other {# items}} in your basket.'],
  ['Size guide', 'Größentabelle', 'دليل المقاسات'],
  [
    '<p>Wash at <strong>30 °C</strong> with similar colours. Do not tumble dry.</p>',
    '<p>Bei <strong>30 °C</strong> mit ähnlichen Farben waschen. Nicht im Trockner trocknen.</p>',
    '<p>يُغسل عند <strong>30 درجة مئوية</strong> مع ألوان مشابهة. لا يُجفف في المجففة.</p>',
  ],
  ['Sorry, this size is sold out. Leave your e-mail address, and we tell you when it is back.'],
  ['Returns', 'Rückgabe', 'الإرجاع'],
  [
    'You can send anything back within 30 days. Print the label from your account, put it on the parcel, and take it to any post office. We refund the price as soon as the parcel arrives.',
    'Sie können alles innerhalb von 30 Tagen zurückgeben. Drucken Sie den Aufkleber in Ihrem Konto aus, kleben Sie ihn auf das Paket und geben Sie es bei der Post ab.',
  ],
  ['Gift card', 'Geschenkgutschein', 'بطاقة هدية'],
  ['Forgot your password?', 'Passwort vergessen?'],
];
