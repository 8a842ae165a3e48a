"""Short texts as people and models write them, by language. The key "" has texts of no certain language."""

SHORT_TEXTS = {
    "en": ["Your order was shipped yesterday.", "Please restart the router first.", "It costs 12 euros per month."],
    "da": ["Din ordre blev afsendt i går.", "Genstart venligst routeren først.", "Det koster 12 euro om måneden."],
    "nb": ["Bestillingen din ble sendt i går.", "Start ruteren på nytt først.", "Det koster 12 euro i måneden."],
    "sv": ["Din beställning skickades i går.", "Starta om routern först.", "Det kostar 12 euro i månaden."],
    "es": [
        "Su pedido se envió ayer por la tarde.", "Primero reinicie el enrutador, por favor.",
        "Cuesta 12 euros al mes.",
    ],
    "pt": [
        "A sua encomenda foi enviada ontem.", "Por favor, reinicie primeiro o roteador.",
        "Isso custa 12 euros por mês.",
    ],
    "gl": [
        "O seu pedido enviouse onte pola tarde.", "Primeiro reinicie o enrutador, por favor.",
        "Custa 12 euros ao mes.",
    ],
    "nl": [
        "Uw bestelling is gisteren verzonden.", "Start eerst de router opnieuw op.", "Het kost 12 euro per maand.",
    ],
    "af": ["Jou bestelling is gister gestuur.", "Begin eers weer die roeteerder.", "Dit kos 12 euro per maand."],
    "de": [
        "Ihre Bestellung wurde gestern versandt.", "Bitte starten Sie zuerst den Router neu.",
        "Das kostet 12 Euro im Monat.",
    ],
    "cs": ["Vaše objednávka byla včera odeslána.", "Nejprve prosím restartujte router.", "Stojí to 12 eur měsíčně."],
    "sk": ["Vaša objednávka bola včera odoslaná.", "Najprv prosím reštartujte smerovač.", "Stojí to 12 eur mesačne."],
    "ru": ["Ваш заказ был отправлен вчера.", "Сначала перезагрузите роутер.", "Это стоит 12 евро в месяц."],
    "uk": [
        "Ваше замовлення було відправлено вчора.", "Спочатку перезавантажте роутер.", "Це коштує 12 євро на місяць.",
    ],
    "bg": ["Вашата поръчка беше изпратена вчера.", "Моля, първо рестартирайте рутера.", "Струва 12 евро на месец."],
    "ja": [
        "ご注文の商品は昨日発送されました。", "Microsoft Teamsの設定を開いてください。",
        "まずルーターを再起動してください。",
    ],
    "zh": ["您的订单昨天已经发货。", "请先重新启动路由器。", "每月费用为12欧元。"],
    "ko": ["주문하신 상품은 어제 발송되었습니다.", "먼저 라우터를 다시 시작하세요.", "한 달에 12유로입니다."],
    "ar": ["تم شحن طلبك بالأمس.", "يرجى إعادة تشغيل جهاز التوجيه أولاً.", "التكلفة اثنا عشر يورو في الشهر."],
    "fa": [
        "سفارش شما دیروز ارسال شد.", "لطفاً ابتدا روتر را دوباره راه‌اندازی کنید.", "هزینه آن ۱۲ یورو در ماه است.",
    ],
    "he": ["ההזמנה שלך נשלחה אתמול.", "אנא הפעל מחדש את הנתב תחילה.", "זה עולה 12 אירו לחודש."],
    "hi": [
        "आपका ऑर्डर कल भेज दिया गया था।", "कृपया पहले राउटर को पुनः आरंभ करें।", "इसकी कीमत 12 यूरो प्रति माह है।",
    ],
    "fr": [
        "Votre commande a été expédiée hier.", "Veuillez d'abord redémarrer le routeur.",
        "Cela coûte 12 euros par mois.",
    ],
    "it": ["Il suo ordine è stato spedito ieri.", "Per favore, riavvii prima il router.", "Costa 12 euro al mese."],
    "pl": [
        "Twoje zamówienie zostało wysłane wczoraj.", "Proszę najpierw zrestartować router.",
        "To kosztuje 12 euro miesięcznie.",
    ],
    "": [
        "Northwind Health Plus", "Microsoft Azure OpenAI Service", "Samsung Galaxy S24 Ultra 256 GB",
        "iPhone 15 Pro Max", "Volkswagen ID.4 Pro", "Contoso Electronics GmbH", "12.5 % / 2026-11-24 / 3:45 pm",
        "EUR 1.234,56", "A1, B2, C3", "README.md, CHANGELOG.md", "John Smith, Maria Garcia, Wei Zhang",
        "Berlin, Paris, Madrid, Roma", "OK.", "Kubernetes, Docker, PostgreSQL", "ISO 27001, SOC 2, HIPAA",
        "sudo systemctl restart nginx", "npm install --save react", "Giuseppe Verdi, La Traviata (1853)",
        "Müller & Söhne GmbH & Co. KG", "kg, cm, km/h, m²",
    ],
}  # fmt: skip
