// Clients store these ids, so an entry keeps its id, code and name. Add new languages at the end with the next id.
// The names are those of Unicode CLDR (last run: 48.2.0). The licence of CLDR is at the end of this file.

/**
 * The catalogue, in order of id: a line for each language, with its id, its code and its name. It is a text, because
 * many cold starts read it: 554 objects would take twice as many bytes, and be made at each.
 */
export const LANGUAGE_TABLE = `
21 ar-AE Arabic (United Arab Emirates)
32 zh-Hans Chinese (Simplified)
33 zh-Hant Chinese (Traditional)
40 en-GB English (United Kingdom)
41 en-US English (United States)
48 fr-CA French (Canada)
53 de-DE German (Germany)
72 ja Japanese
76 ko Korean
94 pt-BR Portuguese (Brazil)
104 es-ES Spanish (Spain)
108 es-CO Spanish (Colombia)
158 en-CA English (Canada)
1001 aa Afar
1002 ab Abkhazian
1003 ace Acehnese
1004 ae Avestan
1005 af Afrikaans
1006 af-ZA Afrikaans (South Africa)
1007 ak Akan
1008 ak-GH Akan (Ghana)
1009 am Amharic
1010 am-ET Amharic (Ethiopia)
1011 an Aragonese
1012 ar Arabic
1013 ar-BH Arabic (Bahrain)
1014 ar-DZ Arabic (Algeria)
1015 ar-EG Arabic (Egypt)
1016 ar-IQ Arabic (Iraq)
1017 ar-JO Arabic (Jordan)
1018 ar-KW Arabic (Kuwait)
1019 ar-LB Arabic (Lebanon)
1020 ar-LY Arabic (Libya)
1021 ar-MA Arabic (Morocco)
1022 ar-OM Arabic (Oman)
1023 ar-PS Arabic (Palestine)
1024 ar-QA Arabic (Qatar)
1025 ar-SA Arabic (Saudi Arabia)
1026 ar-SD Arabic (Sudan)
1027 ar-SY Arabic (Syria)
1028 ar-TN Arabic (Tunisia)
1029 ar-YE Arabic (Yemen)
1030 ary Moroccan Arabic
1031 arz Egyptian Arabic
1032 as Assamese
1033 as-IN Assamese (India)
1034 ast Asturian
1035 av Avaric
1036 awa Awadhi
1037 ay Aymara
1038 az Azerbaijani
1039 az-AZ Azerbaijani (Azerbaijan)
1040 az-Cyrl Azerbaijani (Cyrillic)
1041 az-Latn Azerbaijani (Latin)
1042 ba Bashkir
1043 ba-RU Bashkir (Russia)
1044 ban Balinese
1045 bar Bavarian
1046 be Belarusian
1047 be-BY Belarusian (Belarus)
1048 bem Bemba
1049 bew Betawi
1050 bg Bulgarian
1051 bg-BG Bulgarian (Bulgaria)
1052 bgc Haryanvi
1053 bh Bihari
1054 bho Bhojpuri
1055 bi Bislama
1056 bik Bikol
1057 bm Bambara
1058 bn Bangla
1059 bn-BD Bangla (Bangladesh)
1060 bn-IN Bangla (India)
1061 bo Tibetan
1062 br Breton
1063 brx Bodo
1064 bs Bosnian
1065 bs-BA Bosnian (Bosnia & Herzegovina)
1066 bs-Cyrl Bosnian (Cyrillic)
1067 bs-Latn Bosnian (Latin)
1068 bug Buginese
1069 ca Catalan
1070 ca-AD Catalan (Andorra)
1071 ca-ES Catalan (Spain)
1072 ca-FR Catalan (France)
1073 ce Chechen
1074 ceb Cebuano
1075 ch Chamorro
1076 chr Cherokee
1077 chr-US Cherokee (United States)
1078 ckb Central Kurdish
1079 ckb-IQ Central Kurdish (Iraq)
1080 co Corsican
1081 cr Cree
1082 crh Crimean Tatar
1083 crs Seselwa Creole French
1084 cs Czech
1085 cs-CZ Czech (Czechia)
1086 cu Church Slavic
1087 cv Chuvash
1088 cv-RU Chuvash (Russia)
1089 cy Welsh
1090 cy-GB Welsh (United Kingdom)
1091 da Danish
1092 da-DK Danish (Denmark)
1093 de German
1094 de-AT German (Austria)
1095 de-BE German (Belgium)
1096 de-CH German (Switzerland)
1097 de-IT German (Italy)
1098 de-LI German (Liechtenstein)
1099 de-LU German (Luxembourg)
1100 doi Dogri
1101 dsb Lower Sorbian
1102 dsb-DE Lower Sorbian (Germany)
1103 dv Divehi
1104 dv-MV Divehi (Maldives)
1105 dyu Dyula
1106 dz Dzongkha
1107 ee Ewe
1108 el Greek
1109 el-CY Greek (Cyprus)
1110 el-GR Greek (Greece)
1111 en English
1112 en-AU English (Australia)
1113 en-GH English (Ghana)
1114 en-HK English (Hong Kong)
1115 en-IE English (Ireland)
1116 en-IN English (India)
1117 en-JM English (Jamaica)
1118 en-KE English (Kenya)
1119 en-MT English (Malta)
1120 en-MY English (Malaysia)
1121 en-NG English (Nigeria)
1122 en-NZ English (New Zealand)
1123 en-PH English (Philippines)
1124 en-PK English (Pakistan)
1125 en-SG English (Singapore)
1126 en-TT English (Trinidad & Tobago)
1127 en-TZ English (Tanzania)
1128 en-UG English (Uganda)
1129 en-ZA English (South Africa)
1130 en-ZM English (Zambia)
1131 en-ZW English (Zimbabwe)
1132 eo Esperanto
1133 es Spanish
1134 es-419 Spanish (Latin America)
1135 es-AR Spanish (Argentina)
1136 es-BO Spanish (Bolivia)
1137 es-CL Spanish (Chile)
1138 es-CR Spanish (Costa Rica)
1139 es-CU Spanish (Cuba)
1140 es-DO Spanish (Dominican Republic)
1141 es-EC Spanish (Ecuador)
1142 es-GT Spanish (Guatemala)
1143 es-HN Spanish (Honduras)
1144 es-MX Spanish (Mexico)
1145 es-NI Spanish (Nicaragua)
1146 es-PA Spanish (Panama)
1147 es-PE Spanish (Peru)
1148 es-PR Spanish (Puerto Rico)
1149 es-PY Spanish (Paraguay)
1150 es-SV Spanish (El Salvador)
1151 es-US Spanish (United States)
1152 es-UY Spanish (Uruguay)
1153 es-VE Spanish (Venezuela)
1154 et Estonian
1155 et-EE Estonian (Estonia)
1156 eu Basque
1157 eu-ES Basque (Spain)
1158 fa Persian
1159 fa-AF Persian (Afghanistan)
1160 fa-IR Persian (Iran)
1161 ff Fula
1162 ff-Adlm Fula (Adlam)
1163 ff-Latn Fula (Latin)
1164 fi Finnish
1165 fi-FI Finnish (Finland)
1166 fil Filipino
1167 fil-PH Filipino (Philippines)
1168 fj Fijian
1169 fo Faroese
1170 fo-FO Faroese (Faroe Islands)
1171 fon Fon
1172 fr French
1173 fr-BE French (Belgium)
1174 fr-CD French (Congo - Kinshasa)
1175 fr-CH French (Switzerland)
1176 fr-CI French (Côte d’Ivoire)
1177 fr-CM French (Cameroon)
1178 fr-DZ French (Algeria)
1179 fr-FR French (France)
1180 fr-HT French (Haiti)
1181 fr-LU French (Luxembourg)
1182 fr-MA French (Morocco)
1183 fr-MC French (Monaco)
1184 fr-ML French (Mali)
1185 fr-MU French (Mauritius)
1186 fr-SN French (Senegal)
1187 fr-TN French (Tunisia)
1188 fur Friulian
1189 fy Western Frisian
1190 fy-NL Western Frisian (Netherlands)
1191 ga Irish
1192 ga-IE Irish (Ireland)
1193 gaa Ga
1194 gan Gan Chinese
1195 gd Scottish Gaelic
1196 gd-GB Scottish Gaelic (United Kingdom)
1197 gl Galician
1198 gl-ES Galician (Spain)
1199 gn Guarani
1200 gsw Swiss German
1201 gu Gujarati
1202 gu-IN Gujarati (India)
1203 gv Manx
1204 ha Hausa
1205 ha-NG Hausa (Nigeria)
1206 hak Hakka Chinese
1207 haw Hawaiian
1208 he Hebrew
1209 he-IL Hebrew (Israel)
1210 hi Hindi
1211 hi-IN Hindi (India)
1212 hi-Latn Hindi (Latin)
1213 hil Hiligaynon
1214 hmn Hmong
1215 ho Hiri Motu
1216 hr Croatian
1217 hr-BA Croatian (Bosnia & Herzegovina)
1218 hr-HR Croatian (Croatia)
1219 hsb Upper Sorbian
1220 hsb-DE Upper Sorbian (Germany)
1221 hsn Xiang Chinese
1222 ht Haitian Creole
1223 ht-HT Haitian Creole (Haiti)
1224 hu Hungarian
1225 hu-HU Hungarian (Hungary)
1226 hy Armenian
1227 hy-AM Armenian (Armenia)
1228 hz Herero
1229 ia Interlingua
1230 id Indonesian
1231 id-ID Indonesian (Indonesia)
1232 ie Interlingue
1233 ig Igbo
1234 ig-NG Igbo (Nigeria)
1235 ii Sichuan Yi
1236 ik Inupiaq
1237 ilo Iloko
1238 io Ido
1239 is Icelandic
1240 is-IS Icelandic (Iceland)
1241 it Italian
1242 it-CH Italian (Switzerland)
1243 it-IT Italian (Italy)
1244 iu Inuktitut
1245 iu-Latn Inuktitut (Latin)
1246 ja-JP Japanese (Japan)
1247 jv Javanese
1248 jv-ID Javanese (Indonesia)
1249 ka Georgian
1250 ka-GE Georgian (Georgia)
1251 kab Kabyle
1252 kea Kabuverdianu
1253 kg Kongo
1254 ki Kikuyu
1255 kj Kuanyama
1256 kk Kazakh
1257 kk-Arab Kazakh (Arabic)
1258 kk-KZ Kazakh (Kazakhstan)
1259 kl Kalaallisut
1260 kl-GL Kalaallisut (Greenland)
1261 km Khmer
1262 km-KH Khmer (Cambodia)
1263 kn Kannada
1264 kn-IN Kannada (India)
1265 ko-KP Korean (North Korea)
1266 ko-KR Korean (South Korea)
1267 kok Konkani
1268 kok-IN Konkani (India)
1269 kr Kanuri
1270 kri Krio
1271 ks Kashmiri
1272 ku Kurdish
1273 ku-Arab Kurdish (Arabic)
1274 ku-Latn Kurdish (Latin)
1275 ku-TR Kurdish (Türkiye)
1276 kv Komi
1277 kw Cornish
1278 ky Kyrgyz
1279 ky-KG Kyrgyz (Kyrgyzstan)
1280 la Latin
1281 lad Ladino
1282 lah Western Panjabi
1283 lb Luxembourgish
1284 lb-LU Luxembourgish (Luxembourg)
1285 lg Ganda
1286 li Limburgish
1287 lij Ligurian
1288 lmo Lombard
1289 ln Lingala
1290 lo Lao
1291 lo-LA Lao (Laos)
1292 lt Lithuanian
1293 lt-LT Lithuanian (Lithuania)
1294 lu Luba-Katanga
1295 lua Luba-Lulua
1296 luo Luo
1297 lus Mizo
1298 lv Latvian
1299 lv-LV Latvian (Latvia)
1300 mad Madurese
1301 mag Magahi
1302 mai Maithili
1303 mfe Morisyen
1304 mg Malagasy
1305 mg-MG Malagasy (Madagascar)
1306 mh Marshallese
1307 mi Māori
1308 mi-NZ Māori (New Zealand)
1309 min Minangkabau
1310 mk Macedonian
1311 mk-MK Macedonian (North Macedonia)
1312 ml Malayalam
1313 ml-IN Malayalam (India)
1314 mn Mongolian
1315 mn-MN Mongolian (Mongolia)
1316 mn-Mong Mongolian (Mongolian)
1317 mni Manipuri
1318 mos Mossi
1319 mr Marathi
1320 mr-IN Marathi (India)
1321 ms Malay
1322 ms-Arab Malay (Arabic)
1323 ms-BN Malay (Brunei)
1324 ms-MY Malay (Malaysia)
1325 ms-SG Malay (Singapore)
1326 mt Maltese
1327 mt-MT Maltese (Malta)
1328 my Burmese
1329 my-MM Burmese (Myanmar)
1330 na Nauru
1331 nan Min Nan Chinese
1332 nap Neapolitan
1333 nb Norwegian Bokmål
1334 nb-NO Norwegian Bokmål (Norway)
1335 nd North Ndebele
1336 nds Low German
1337 ne Nepali
1338 ne-IN Nepali (India)
1339 ne-NP Nepali (Nepal)
1340 new Newari
1341 ng Ndonga
1342 nl Dutch
1343 nl-BE Dutch (Belgium)
1344 nl-NL Dutch (Netherlands)
1345 nl-SR Dutch (Suriname)
1346 nn Norwegian Nynorsk
1347 nn-NO Norwegian Nynorsk (Norway)
1348 no Norwegian
1349 no-NO Norwegian (Norway)
1350 nqo N’Ko
1351 nr South Ndebele
1352 nso Northern Sotho
1353 nv Navajo
1354 ny Nyanja
1355 ny-MW Nyanja (Malawi)
1356 oc Occitan
1357 oj Ojibwa
1358 om Oromo
1359 om-ET Oromo (Ethiopia)
1360 or Odia
1361 or-IN Odia (India)
1362 os Ossetic
1363 pa Punjabi
1364 pa-Arab Punjabi (Arabic)
1365 pa-Guru Punjabi (Gurmukhi)
1366 pa-IN Punjabi (India)
1367 pa-PK Punjabi (Pakistan)
1368 pag Pangasinan
1369 pam Pampanga
1370 pap Papiamento
1371 pcm Nigerian Pidgin
1372 pcm-NG Nigerian Pidgin (Nigeria)
1373 pi Pali
1374 pl Polish
1375 pl-PL Polish (Poland)
1376 pms Piedmontese
1377 ps Pashto
1378 ps-AF Pashto (Afghanistan)
1379 ps-PK Pashto (Pakistan)
1380 pt Portuguese
1381 pt-AO Portuguese (Angola)
1382 pt-CV Portuguese (Cape Verde)
1383 pt-MO Portuguese (Macao)
1384 pt-MZ Portuguese (Mozambique)
1385 pt-PT Portuguese (Portugal)
1386 qu Quechua
1387 qu-BO Quechua (Bolivia)
1388 qu-EC Quechua (Ecuador)
1389 qu-PE Quechua (Peru)
1390 quc Kʼicheʼ
1391 raj Rajasthani
1392 rm Romansh
1393 rm-CH Romansh (Switzerland)
1394 rn Rundi
1395 ro Romanian
1396 ro-MD Romanian (Moldova)
1397 ro-RO Romanian (Romania)
1398 ru Russian
1399 ru-BY Russian (Belarus)
1400 ru-KG Russian (Kyrgyzstan)
1401 ru-KZ Russian (Kazakhstan)
1402 ru-RU Russian (Russia)
1403 ru-UA Russian (Ukraine)
1404 rw Kinyarwanda
1405 rw-RW Kinyarwanda (Rwanda)
1406 sa Sanskrit
1407 sah Yakut
1408 sat Santali
1409 sc Sardinian
1410 scn Sicilian
1411 sco Scots
1412 sd Sindhi
1413 sd-Arab Sindhi (Arabic)
1414 sd-Deva Sindhi (Devanagari)
1415 sd-PK Sindhi (Pakistan)
1416 se Northern Sami
1417 sg Sango
1418 shn Shan
1419 shn-MM Shan (Myanmar)
1420 si Sinhala
1421 si-LK Sinhala (Sri Lanka)
1422 sk Slovak
1423 sk-SK Slovak (Slovakia)
1424 sl Slovenian
1425 sl-SI Slovenian (Slovenia)
1426 sm Samoan
1427 sn Shona
1428 sn-ZW Shona (Zimbabwe)
1429 so Somali
1430 so-ET Somali (Ethiopia)
1431 so-KE Somali (Kenya)
1432 so-SO Somali (Somalia)
1433 sq Albanian
1434 sq-AL Albanian (Albania)
1435 sq-MK Albanian (North Macedonia)
1436 sq-XK Albanian (Kosovo)
1437 sr Serbian
1438 sr-BA Serbian (Bosnia & Herzegovina)
1439 sr-Cyrl Serbian (Cyrillic)
1440 sr-Cyrl-RS Serbian (Cyrillic, Serbia)
1441 sr-Latn Serbian (Latin)
1442 sr-Latn-RS Serbian (Latin, Serbia)
1443 sr-ME Serbian (Montenegro)
1444 sr-RS Serbian (Serbia)
1445 srn Sranan Tongo
1446 ss Swati
1447 st Southern Sotho
1448 su Sundanese
1449 su-ID Sundanese (Indonesia)
1450 sv Swedish
1451 sv-FI Swedish (Finland)
1452 sv-SE Swedish (Sweden)
1453 sw Swahili
1454 sw-CD Swahili (Congo - Kinshasa)
1455 sw-KE Swahili (Kenya)
1456 sw-TZ Swahili (Tanzania)
1457 sw-UG Swahili (Uganda)
1458 syr Syriac
1459 szl Silesian
1460 ta Tamil
1461 ta-IN Tamil (India)
1462 ta-LK Tamil (Sri Lanka)
1463 ta-SG Tamil (Singapore)
1464 tcy Tulu
1465 te Telugu
1466 te-IN Telugu (India)
1467 tet Tetum
1468 tg Tajik
1469 tg-TJ Tajik (Tajikistan)
1470 th Thai
1471 th-TH Thai (Thailand)
1472 ti Tigrinya
1473 ti-ER Tigrinya (Eritrea)
1474 ti-ET Tigrinya (Ethiopia)
1475 tk Turkmen
1476 tk-TM Turkmen (Turkmenistan)
1477 tl Tagalog
1478 tl-PH Tagalog (Philippines)
1479 tn Tswana
1480 to Tongan
1481 tpi Tok Pisin
1482 tr Turkish
1483 tr-CY Turkish (Cyprus)
1484 tr-TR Turkish (Türkiye)
1485 ts Tsonga
1486 tt Tatar
1487 tt-RU Tatar (Russia)
1488 tum Tumbuka
1489 tw Twi
1490 ty Tahitian
1491 tyv Tuvinian
1492 udm Udmurt
1493 ug Uyghur
1494 ug-CN Uyghur (China)
1495 uk Ukrainian
1496 uk-UA Ukrainian (Ukraine)
1497 umb Umbundu
1498 ur Urdu
1499 ur-IN Urdu (India)
1500 ur-PK Urdu (Pakistan)
1501 uz Uzbek
1502 uz-Arab Uzbek (Arabic)
1503 uz-Cyrl Uzbek (Cyrillic)
1504 uz-Latn Uzbek (Latin)
1505 uz-UZ Uzbek (Uzbekistan)
1506 ve Venda
1507 vec Venetian
1508 vi Vietnamese
1509 vi-VN Vietnamese (Vietnam)
1510 vo Volapük
1511 wa Walloon
1512 war Waray
1513 wo Wolof
1514 wo-SN Wolof (Senegal)
1515 wuu Wu Chinese
1516 xh Xhosa
1517 xh-ZA Xhosa (South Africa)
1518 yi Yiddish
1519 yo Yoruba
1520 yo-NG Yoruba (Nigeria)
1521 yue Cantonese
1522 yue-HK Cantonese (Hong Kong)
1523 yue-Hans Cantonese (Simplified)
1524 yue-Hant Cantonese (Traditional)
1525 za Zhuang
1526 zgh Standard Moroccan Tamazight
1527 zh Chinese
1528 zh-CN Chinese (China)
1529 zh-HK Chinese (Hong Kong)
1530 zh-Hans-CN Chinese (Simplified, China)
1531 zh-Hans-HK Chinese (Simplified, Hong Kong)
1532 zh-Hans-SG Chinese (Simplified, Singapore)
1533 zh-Hant-HK Chinese (Traditional, Hong Kong)
1534 zh-Hant-MO Chinese (Traditional, Macao)
1535 zh-Hant-TW Chinese (Traditional, Taiwan)
1536 zh-MO Chinese (Macao)
1537 zh-SG Chinese (Singapore)
1538 zh-TW Chinese (Taiwan)
1539 zu Zulu
1540 zu-ZA Zulu (South Africa)
1541 zza Zaza
`;

// UNICODE LICENSE V3
//
// COPYRIGHT AND PERMISSION NOTICE
//
// Copyright © 2004-2026 Unicode, Inc.
//
// NOTICE TO USER: Carefully read the following legal agreement. BY
// DOWNLOADING, INSTALLING, COPYING OR OTHERWISE USING DATA FILES, AND/OR
// SOFTWARE, YOU UNEQUIVOCALLY ACCEPT, AND AGREE TO BE BOUND BY, ALL OF THE
// TERMS AND CONDITIONS OF THIS AGREEMENT. IF YOU DO NOT AGREE, DO NOT
// DOWNLOAD, INSTALL, COPY, DISTRIBUTE OR USE THE DATA FILES OR SOFTWARE.
//
// Permission is hereby granted, free of charge, to any person obtaining a
// copy of data files and any associated documentation (the "Data Files") or
// software and any associated documentation (the "Software") to deal in the
// Data Files or Software without restriction, including without limitation
// the rights to use, copy, modify, merge, publish, distribute, and/or sell
// copies of the Data Files or Software, and to permit persons to whom the
// Data Files or Software are furnished to do so, provided that either (a)
// this copyright and permission notice appear with all copies of the Data
// Files or Software, or (b) this copyright and permission notice appear in
// associated Documentation.
//
// THE DATA FILES AND SOFTWARE ARE PROVIDED "AS IS", WITHOUT WARRANTY OF ANY
// KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
// MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT OF
// THIRD PARTY RIGHTS.
//
// IN NO EVENT SHALL THE COPYRIGHT HOLDER OR HOLDERS INCLUDED IN THIS NOTICE
// BE LIABLE FOR ANY CLAIM, OR ANY SPECIAL INDIRECT OR CONSEQUENTIAL DAMAGES,
// OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS,
// WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION,
// ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THE DATA
// FILES OR SOFTWARE.
//
// Except as contained in this notice, the name of a copyright holder shall
// not be used in advertising or otherwise to promote the sale, use or other
// dealings in these Data Files or Software without prior written
// authorization of the copyright holder.
//
// SPDX-License-Identifier: Unicode-3.0
